import { isWord } from "./word.ts";

declare const brand: unique symbol;

/** A string that must not be mixed up with other strings. Made by a parser at the edge, trusted inside. */
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A node: letters, digits, `.`, `_` and `-`, at most 64 characters. */
export type NodeName = Branded<"NodeName">;

/** The address of a privacy group's contract, in lower case. */
export type GroupAddress = Branded<"GroupAddress">;

/** What a user asked for: 32 bytes, as lower-case hexadecimal digits with `0x`. */
export type IntentId = Branded<"IntentId">;

/** A private state, named by its content and the step that creates it: 32 bytes. */
export type StateId = Branded<"StateId">;

/** A hash over exactly what is endorsed, permitted and dispatched: 32 bytes. */
export type Digest = Branded<"Digest">;

/** A hash over all of a step: 32 bytes. */
export type StepHash = Branded<"StepHash">;

/** Where the ledger keeps a state. Opaque: only the ledger's arithmetic reads it. */
export type Place = Branded<"Place">;

/** Pairs an answer with its request. */
export type RequestKey = Branded<"RequestKey">;

const nodeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const groupAddress = /^0x[0-9a-f]{40}$/;
const place = /^0x[0-9a-f]{2,128}$/;
const requestKey = /^[A-Za-z0-9.:_-]{1,120}$/;

/** The value as a node name, or undefined if it is none. */
export function parseNodeName(value: unknown): NodeName | undefined {
  return typeof value === "string" && nodeName.test(value)
    ? (value as NodeName)
    : undefined;
}

/** The value as a group's address, or undefined if it is none. Upper-case digits are taken as lower-case ones. */
export function parseGroupAddress(value: unknown): GroupAddress | undefined {
  const lower = typeof value === "string" ? value.toLowerCase() : "";
  return groupAddress.test(lower) ? (lower as GroupAddress) : undefined;
}

/** The value as an intent's id, or undefined if it is none. */
export function parseIntentId(value: unknown): IntentId | undefined {
  return typeof value === "string" && isWord(value)
    ? (value as IntentId)
    : undefined;
}

/** The value as a state's id, or undefined if it is none. */
export function parseStateId(value: unknown): StateId | undefined {
  return typeof value === "string" && isWord(value)
    ? (value as StateId)
    : undefined;
}

/** The value as a digest, or undefined if it is none. */
export function parseDigest(value: unknown): Digest | undefined {
  return typeof value === "string" && isWord(value)
    ? (value as Digest)
    : undefined;
}

/** The value as a hash of a step, or undefined if it is none. */
export function parseStepHash(value: unknown): StepHash | undefined {
  return typeof value === "string" && isWord(value)
    ? (value as StepHash)
    : undefined;
}

/** The value as a place, or undefined if it is none. */
export function parsePlace(value: unknown): Place | undefined {
  return typeof value === "string" && place.test(value)
    ? (value as Place)
    : undefined;
}

/** The value as a request's key, or undefined if it is none. */
export function parseRequestKey(value: unknown): RequestKey | undefined {
  return typeof value === "string" && requestKey.test(value)
    ? (value as RequestKey)
    : undefined;
}
