import { hash } from "node:crypto";

import { type NodeName, parseNodeName } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import { type NetworkId, networkBytes } from "./network-id.ts";
import { type Session, sessionBytes } from "./session.ts";

// An envelope in bytes, numbers with the highest byte first:
//
//   "HSE" 0x03 | network (32) | length of from (1) | from | length of to (1) | to | session of from (16) | session of to (16)
//   | boot of from (8) | sequence (8) | body | signature (64)
//
// The signature is over a hash of all bytes before it, as they came, so that nothing depends on how they are read. Lengths
// come before what they measure, and the body takes what is left: two different envelopes never have the same bytes.

const magic = Uint8Array.of(0x48, 0x53, 0x45, 3);
export const signatureBytes = 64;
const nameBytesMax = 64;
/** The two sessions and the two numbers. */
const fixedBytes = 2 * sessionBytes + 16;
/** A message, and room for what the node puts around it. */
export const bodyBytesMax: number = limits.messageBytes + 1_024;
export const envelopeBytesMax: number =
  magic.length +
  networkBytes +
  2 * (1 + nameBytesMax) +
  fixedBytes +
  bodyBytesMax +
  signatureBytes;

/** The header of an envelope. */
export interface Header {
  /** The chain and the factory that the sender works with. */
  readonly network: NetworkId;
  readonly from: NodeName;
  readonly to: NodeName;
  /** Of the sender, which it makes anew with every start. */
  readonly fromSession: Session;
  /** The receiver's session, as far as the sender knows it. */
  readonly toSession: Session;
  /** Grows with every start of the sender. */
  readonly boot: number;
  /** Grows with every envelope from this sender to this receiver. */
  readonly sequence: number;
}

/** An envelope that was taken apart; nothing of it is proven yet. */
export interface Parts {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** What is signed for the bytes before the signature. Ed25519 itself would go over all of them twice, and in a slower way. */
export function signedBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([magic, hash("sha256", bytes, "buffer")]);
}

/** The bytes before the signature, with room for it. */
export function writeEnvelope(
  header: Header,
  body: string,
): Buffer<ArrayBuffer> {
  const { from, to } = header;
  const fromAt = magic.length + networkBytes;
  const bodyAt = fromAt + 2 + from.length + to.length + fixedBytes;
  const length = bodyAt + Buffer.byteLength(body) + signatureBytes;
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(magic);
  bytes.write(header.network, magic.length, "hex");
  let at = fromAt;
  for (const name of [from, to]) {
    bytes[at] = name.length;
    bytes.write(name, at + 1, "latin1");
    at += 1 + name.length;
  }
  for (const session of [header.fromSession, header.toSession]) {
    bytes.write(session, at, "hex");
    at += sessionBytes;
  }
  bytes.writeBigUInt64BE(BigInt(header.boot), at);
  bytes.writeBigUInt64BE(BigInt(header.sequence), at + 8);
  bytes.write(body, bodyAt);
  return bytes;
}

/** Takes an envelope apart; undefined if the bytes are not an envelope. */
export function readEnvelope(wire: Uint8Array): Parts | undefined {
  const bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.byteLength);
  const signatureAt = bytes.length - signatureBytes;
  if (!magic.every((byte, i) => bytes[i] === byte)) return undefined;
  const fromAt = magic.length + networkBytes;
  const from = readName(bytes, fromAt);
  if (from === undefined) return undefined;
  const toAt = fromAt + 1 + from.length;
  const to = readName(bytes, toAt);
  if (to === undefined) return undefined;
  const sessionsAt = toAt + 1 + to.length;
  const numbersAt = sessionsAt + 2 * sessionBytes;
  const bodyAt = sessionsAt + fixedBytes;
  if (bodyAt > signatureAt) return undefined;
  const boot = Number(bytes.readBigUInt64BE(numbersAt));
  const sequence = Number(bytes.readBigUInt64BE(numbersAt + 8));
  if (!Number.isSafeInteger(boot) || !Number.isSafeInteger(sequence))
    return undefined;
  return {
    header: {
      network: bytes.toString("hex", magic.length, fromAt),
      from,
      to,
      fromSession: bytes.toString("hex", sessionsAt, sessionsAt + sessionBytes),
      toSession: bytes.toString("hex", sessionsAt + sessionBytes, numbersAt),
      boot,
      sequence,
    },
    body: bytes.subarray(bodyAt, signatureAt),
    signed: bytes.subarray(0, signatureAt),
    signature: bytes.subarray(signatureAt),
  };
}

function readName(bytes: Buffer, at: number): NodeName | undefined {
  const length = bytes[at] ?? 0;
  // Bytes beyond ASCII become letters that no name has.
  return parseNodeName(bytes.toString("latin1", at + 1, at + 1 + length));
}
