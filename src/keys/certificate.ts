import { createHash, type KeyObject } from "node:crypto";

import { der } from "./der.ts";

const ed25519 = der.sequence(der.objectId(0x2b, 0x65, 0x70));
const commonName = der.objectId(0x55, 0x04, 0x03);
const keyUsage = der.objectId(0x55, 0x1d, 0x0f);
const digitalSignature = der.bits(Buffer.of(0x80), 7);

/**
 * A certificate that a key of Ed25519 makes for itself (X.509, version 3), in DER. It is only a form in which TLS shows a
 * key: nobody trusts it for its name or its time, so it is the same every time and never ends.
 */
export function selfSigned(options: {
  /** At most 64 characters. */
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}): Buffer {
  const { name, publicKey, sign } = options;
  const spki = publicKey.export({ type: "spki", format: "der" });
  const subject = der.sequence(
    der.set(der.sequence(commonName, der.text(name))),
  );
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(serialOf(name, spki)),
    ed25519,
    subject,
    der.sequence(
      der.shortTime("700101000000Z"),
      // RFC 5280 has this for what does not end.
      der.longTime("99991231235959Z"),
    ),
    subject,
    spki,
    der.explicit(
      3,
      der.sequence(
        der.sequence(keyUsage, der.boolean(true), der.octets(digitalSignature)),
      ),
    ),
  );
  return der.sequence(body, ed25519, der.bits(sign(body)));
}

/** Different for different certificates, without a counter to keep. */
function serialOf(name: string, spki: Uint8Array): Uint8Array {
  return createHash("sha256")
    .update(spki)
    .update(name)
    .digest()
    .subarray(0, 16);
}
