import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { SecureContext } from "node:tls";

import { type Bytes32, parseBytes32, toBytes32 } from "../ledger/index.ts";
import { KeyError } from "./key-error.ts";
import { tlsContext } from "./tls.ts";

/** Who a node is, for other nodes: a key pair of Ed25519. The private key stays inside. */
export interface Identity {
  readonly publicKey: KeyObject;
  /** 64 bytes. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  /** Proves in TLS 1.3 that it has the key, with a certificate that bears this name. */
  readonly tls: (name: string) => SecureContext;
}

/** The public keys of nodes. */
export type Registry<Name extends string> = ReadonlyMap<Name, KeyObject>;

/** An identity that is gone with the process. */
export function createIdentity(): Identity {
  return identityOf(generateKeyPairSync("ed25519").privateKey);
}

/** The identity with this private key. */
export function identityOf(privateKey: KeyObject): Identity {
  if (privateKey.asymmetricKeyType !== "ed25519")
    throw new KeyError("INVALID", "A node's identity is a key of Ed25519.");
  return {
    publicKey: createPublicKey(privateKey),
    sign: (bytes) => sign(null, bytes, privateKey),
    tls: (name) => tlsContext(name, privateKey),
  };
}

/** Whether the owner of a key signed some bytes. To look takes longer than most of what a loop does: it is done beside it. */
export async function isSignedWith(
  key: KeyObject,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    verify(null, bytes, key, signature, (error, isGood) => {
      if (error === null) resolve(isGood);
      else reject(error);
    });
  });
}

/** A public key as people pass it on: its 32 bytes. */
export function encodePublicKey(key: KeyObject): Bytes32 {
  const { x } = key.export({ format: "jwk" });
  return toBytes32(Buffer.from(x ?? "", "base64url"));
}

/** The public key with these 32 bytes. Throws if the value is none. */
export function parsePublicKey(value: unknown): KeyObject {
  const bytes = parseBytes32(value, "public key").slice(2);
  const x = Buffer.from(bytes, "hex").toString("base64url");
  return createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x },
    format: "jwk",
  });
}
