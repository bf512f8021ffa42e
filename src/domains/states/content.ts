import { randomBytes } from "node:crypto";

import {
  type IntentId,
  parseIntentId,
  parseStateId,
  type StateId,
} from "../../protocol/ids.ts";
import type { State } from "../../protocol/transition.ts";
import type { DomainState, Json, NewState } from "../domain.ts";
import { sha256Hex } from "../../keys/sha256.ts";

/** A state with the step that creates it: output `index` of an intent. */
export interface OriginatedState extends DomainState {
  readonly intentId: IntentId;
  readonly index: number;
}

/** Without it, whoever knows the shape of a state could guess its content from the id on the ledger. */
export const SALT_BYTES = 16;

/** Chance is cheaper in larger portions. */
const SALTS = 256;
let salts = Buffer.alloc(0);

/** 16 random bytes. */
export function newSalt(): string {
  if (salts.length === 0) salts = randomBytes(SALTS * SALT_BYTES);
  const salt = salts.toString("hex", 0, SALT_BYTES);
  salts = salts.subarray(SALT_BYTES);
  return `0x${salt}`;
}

/** Makes a state of what a domain wants to create. A salt that can be guessed hides nothing. */
export function createState(
  { schema, label, data }: NewState,
  origin: { readonly intentId: IntentId; readonly index: number },
  salt: string = newSalt(),
): State {
  const { intentId, index } = origin;
  const content = JSON.stringify({
    intent: intentId,
    index,
    salt,
    schema,
    label,
    data,
  });
  const state = { id: stateIdOf(content), content };
  // Its id need not be computed again when it is read.
  known.set(state, parseContent(state) ?? "nonsense");
  return state;
}

/** The id that a state with this content has. */
export function stateIdOf(content: string): StateId {
  const id = parseStateId(sha256Hex(content));
  if (id === undefined) throw new Error("A hash has the wrong shape.");
  return id;
}

/** States are never changed in place, and many are read several times. */
const known = new WeakMap<State, OriginatedState | "nonsense">();

/** Reads a state that came from elsewhere; undefined if the content is nonsense, or belongs to another id. */
export function readState(state: State): OriginatedState | undefined {
  let read = known.get(state);
  if (read === undefined) {
    read = parseState(state) ?? "nonsense";
    known.set(state, read);
  }
  return read === "nonsense" ? undefined : read;
}

function parseState(state: State): OriginatedState | undefined {
  return stateIdOf(state.content) === state.id
    ? parseContent(state)
    : undefined;
}

function parseContent({ id, content }: State): OriginatedState | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { intent, index, schema, label, data } = parsed as Readonly<
    Record<string, unknown>
  >;
  const intentId = parseIntentId(intent);
  if (
    intentId === undefined ||
    typeof index !== "number" ||
    !Number.isSafeInteger(index) ||
    index < 0 ||
    typeof schema !== "string" ||
    typeof label !== "string" ||
    data === undefined
  )
    return undefined;
  // It came out of JSON.parse.
  return { id, intentId, index, schema, label, data: data as Json };
}
