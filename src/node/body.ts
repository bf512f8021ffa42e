import {
  type Decoded,
  decodeMessage,
  encodeMessage,
} from "../protocol/codec.ts";
import {
  type GroupAddress,
  parseGroupAddress,
  parseStateId,
} from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import type { Message } from "../protocol/messages.ts";
import {
  listOf,
  maybe,
  object,
  oneOf,
  type Shape,
  text,
  union,
} from "../protocol/shape.ts";
import type { State } from "../protocol/transition.ts";
import {
  parseStateId as parseLedgerId,
  type StateId as LedgerId,
} from "../ledger/index.ts";
import { parseName } from "../keys/user-names.ts";
import {
  type GroupOffer,
  GROUPS_TOLD_MAX,
  offerShape,
} from "./groups/offer.ts";
import { packedMessage } from "./packed-bundles.ts";

/** What nodes tell each other beside the protocol's messages, and around them. */
export type Body =
  | {
      readonly type: "message";
      readonly group: GroupAddress;
      readonly message: Message;
    }
  /** Who has the content of these states? */
  | {
      readonly type: "ask";
      readonly group: GroupAddress;
      readonly states: readonly LedgerId[];
    }
  | {
      readonly type: "tell";
      readonly group: GroupAddress;
      readonly states: readonly ToldState[];
      /** What was asked for, and the receiver may not see. */
      readonly denied: readonly LedgerId[];
    }
  /** A group was created with the receiver as a member. */
  | { readonly type: "offer"; readonly offer: GroupOffer }
  | { readonly type: "joined"; readonly group: GroupAddress }
  /** In which groups of the receiver is the sender a member? In the order of their addresses, after one of them. */
  | {
      readonly type: "groups-wanted";
      readonly after: GroupAddress | undefined;
    }
  /** Some of those, and after which address there may be more. */
  | {
      readonly type: "groups-told";
      readonly groups: readonly GroupAddress[];
      readonly next: GroupAddress | undefined;
    }
  /** The sender does not know a group that it is a member of. */
  | { readonly type: "offer-wanted"; readonly group: GroupAddress }
  /** Which key has a user of the receiver? */
  | { readonly type: "key-wanted"; readonly name: string }
  /** The key of a user of the sender: uncompressed, 65 bytes. Whether it is on the curve is not checked. */
  | { readonly type: "key"; readonly name: string; readonly publicKey: string };

/** The content of a state on the ledger. */
export interface ToldState extends State {
  readonly ledgerId: LedgerId;
}

/** States that one question names. */
export const ASKED_MAX = 64;

const ledgerId = (value: unknown): LedgerId | undefined => {
  const id = parseStateId(value);
  return id === undefined ? undefined : parseLedgerId(id);
};

const publicKey: Shape<string> = (value) =>
  typeof value === "string" && /^0x04[0-9a-f]{128}$/.test(value)
    ? value
    : undefined;

/** The shape of a body that is not a message of the protocol. */
export const plainBodyShape: Shape<
  Exclude<Body, { readonly type: "message" }>
> = union({
  ask: object({
    type: oneOf("ask"),
    group: parseGroupAddress,
    states: listOf(ledgerId, ASKED_MAX),
  }),
  tell: object({
    type: oneOf("tell"),
    group: parseGroupAddress,
    states: listOf(
      object({
        ledgerId,
        id: parseStateId,
        content: text(limits.contentBytes),
      }),
      ASKED_MAX,
    ),
    denied: listOf(ledgerId, ASKED_MAX),
  }),
  offer: object({ type: oneOf("offer"), offer: offerShape }),
  joined: object({ type: oneOf("joined"), group: parseGroupAddress }),
  "groups-wanted": object({
    type: oneOf("groups-wanted"),
    after: maybe(parseGroupAddress),
  }),
  "groups-told": object({
    type: oneOf("groups-told"),
    groups: listOf(parseGroupAddress, GROUPS_TOLD_MAX),
    next: maybe(parseGroupAddress),
  }),
  "offer-wanted": object({
    type: oneOf("offer-wanted"),
    group: parseGroupAddress,
  }),
  "key-wanted": object({ type: oneOf("key-wanted"), name: parseName }),
  key: object({ type: oneOf("key"), name: parseName, publicKey }),
});

/** A body as text. A message of the protocol stands behind its group's address: most bodies are such. */
export function encodeBody(body: Body): string {
  return body.type === "message"
    ? body.group + encodeMessage(packedMessage(body.message))
    : JSON.stringify(body);
}

/** What came of reading a body. */
export type DecodedBody =
  | { readonly type: "body"; readonly body: Body }
  | {
      readonly type: "dropped";
      readonly reason: Extract<Decoded, { readonly type: "dropped" }>["reason"];
    };

const ADDRESS_LENGTH = 42;

/** Reads a body that came from a peer. It never throws. */
export function decodeBody(wire: string): DecodedBody {
  const group = parseGroupAddress(wire.slice(0, ADDRESS_LENGTH));
  if (group !== undefined) {
    const decoded = decodeMessage(wire.slice(ADDRESS_LENGTH));
    return decoded.type === "message"
      ? {
          type: "body",
          body: { type: "message", group, message: decoded.message },
        }
      : decoded;
  }
  if (wire.length > limits.messageBytes)
    return { type: "dropped", reason: "oversized" };
  let parsed: unknown;
  try {
    parsed = JSON.parse(wire);
  } catch {
    return { type: "dropped", reason: "malformed" };
  }
  const body = plainBodyShape(parsed);
  return body === undefined
    ? { type: "dropped", reason: "malformed" }
    : { type: "body", body };
}
