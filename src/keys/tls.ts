import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";

import { selfSigned } from "./certificate.ts";

/**
 * What TLS needs to show and to prove a key of Ed25519. The private key goes into the library that does TLS, from which
 * nothing in JavaScript can read it.
 */
export function tlsContext(name: string, privateKey: KeyObject): SecureContext {
  const certificate = selfSigned({
    name,
    publicKey: createPublicKey(privateKey),
    sign: (bytes) => sign(null, bytes, privateKey),
  });
  return createSecureContext({
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: pemOf(certificate),
    // Nobody's word counts about whose key it is, so no authority is loaded.
    ca: [],
    minVersion: "TLSv1.3",
    maxVersion: "TLSv1.3",
  });
}

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return [
    "-----BEGIN CERTIFICATE-----",
    ...lines,
    "-----END CERTIFICATE-----",
    "",
  ].join("\n");
}
