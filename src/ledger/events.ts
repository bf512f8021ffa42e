import {
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "./abi.ts";
import { readAbi, signatureHash, toAddress } from "./abi-reader.ts";
import { type Bytes32, type Hex, parseBytes32, parseHex } from "./hex.ts";
import {
  type Address,
  type IntentId,
  parseAddress,
  parseUint64,
  type StateId,
  type TransitionHash,
  type Uint64,
} from "./ids.ts";
import { LedgerInputError } from "./input-error.ts";

/** A log as ethers, Hardhat and JSON-RPC all have it. */
export interface LedgerLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
}

/** What a log of a group says, without the log. */
export type LedgerEvent =
  | { readonly type: "IntentFulfilled"; readonly intentId: IntentId }
  | {
      readonly type: "Transitioned";
      readonly transitionHash: TransitionHash;
      readonly inputs: readonly StateId[];
      readonly outputs: readonly StateId[];
    }
  | {
      readonly type: "TransitionApproved";
      readonly transitionHash: TransitionHash;
      readonly delegate: Address;
    }
  | {
      readonly type: "CommitteeChanged";
      readonly epoch: Uint64;
      readonly members: readonly Address[];
      readonly threshold: number;
    }
  | {
      readonly type: "GroupCreated";
      readonly group: Address;
      readonly creator: Address;
      readonly salt: Bytes32;
      readonly members: readonly Address[];
      readonly threshold: number;
      readonly externalCalls: boolean;
    }
  | { readonly type: "AtomExecuted"; readonly atom: Address };

type EventType = LedgerEvent["type"];

interface Parts {
  /** Indexed arguments, without the name of the event. */
  readonly topics: readonly Bytes32[];
  readonly data: Hex;
}

const indexed = ({ topics }: Parts, index: number): Bytes32 => {
  const topic = topics[index];
  if (topic === undefined)
    throw malformed(`has ${topics.length} indexed arguments`);
  return topic;
};

const readers: {
  readonly [Type in EventType]: (
    parts: Parts,
  ) => Extract<LedgerEvent, { readonly type: Type }>;
} = {
  IntentFulfilled: (parts) => ({
    type: "IntentFulfilled",
    intentId: indexed(parts, 0) as IntentId,
  }),
  Transitioned: (parts) => {
    const read = readAbi(parts.data);
    return {
      type: "Transitioned",
      transitionHash: indexed(parts, 0) as TransitionHash,
      inputs: read.bytes32List() as readonly StateId[],
      outputs: read.bytes32List() as readonly StateId[],
    };
  },
  TransitionApproved: (parts) => ({
    type: "TransitionApproved",
    transitionHash: indexed(parts, 0) as TransitionHash,
    delegate: toAddress(indexed(parts, 1)),
  }),
  CommitteeChanged: (parts) => {
    const read = readAbi(parts.data);
    return {
      type: "CommitteeChanged",
      epoch: parseUint64(BigInt(indexed(parts, 0))),
      members: read.addressList(),
      threshold: read.uint8(),
    };
  },
  GroupCreated: (parts) => {
    const read = readAbi(parts.data);
    return {
      type: "GroupCreated",
      group: toAddress(indexed(parts, 0)),
      creator: toAddress(indexed(parts, 1)),
      salt: read.bytes32(),
      members: read.addressList(),
      threshold: read.uint8(),
      externalCalls: read.bool(),
    };
  },
  AtomExecuted: (parts) => ({
    type: "AtomExecuted",
    atom: toAddress(indexed(parts, 0)),
  }),
};

const typeByTopic = new Map<string, EventType>(
  [...privacyGroupAbi, ...privacyGroupFactoryAbi, ...atomFactoryAbi]
    .filter((entry) => entry.startsWith("event "))
    .map((entry): [string, string] => [
      signatureHash(entry),
      entry.slice("event ".length, entry.indexOf("(")),
    ])
    .filter((pair): pair is [string, EventType] =>
      Object.hasOwn(readers, pair[1]),
    ),
);

/** The topic by which nodes filter for an event. */
export function topicOf(type: EventType): Bytes32 {
  for (const [topic, name] of typeByTopic)
    if (name === type) return topic as Bytes32;
  throw malformed(`has no event ${type}`);
}

/** What one log says; undefined for a log that is not ours. Throws `MALFORMED_DATA` or `INVALID_VALUE`. */
export function decodeLog(log: LedgerLog): LedgerEvent | undefined {
  const [name, ...rest] = log.topics;
  const type =
    name === undefined ? undefined : typeByTopic.get(name.toLowerCase());
  if (type === undefined) return undefined;
  parseAddress(log.address.toLowerCase(), "log.address");
  return readers[type]({
    topics: rest.map((topic) => parseBytes32(topic, "log.topics")),
    data: parseHex(log.data, "log.data"),
  });
}

function malformed(problem: string): LedgerInputError {
  return new LedgerInputError("MALFORMED_DATA", `The log ${problem}.`);
}
