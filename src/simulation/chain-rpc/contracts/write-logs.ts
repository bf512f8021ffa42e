import {
  type Address,
  type Bytes32,
  type GroupConfig,
  type Hex,
  topicOf,
  type LedgerEvent,
} from "../../../ledger/index.ts";
import {
  addressWord,
  boolWord,
  sequence,
  uintWord,
  word,
  wordList,
} from "../../../ledger/abi-writer.ts";
import type { EmittedLog } from "../block.ts";
import type { GroupEvent } from "./group.ts";

const topics = new Map<LedgerEvent["type"], Bytes32>();

function topic(type: LedgerEvent["type"]): Bytes32 {
  const known = topics.get(type);
  if (known !== undefined) return known;
  const found = topicOf(type);
  topics.set(type, found);
  return found;
}

const hex = (digits: string): Hex => `0x${digits}` as Hex;

/** The logs that a group writes for what it did. */
export function logsOf(
  address: Address,
  event: GroupEvent,
): readonly EmittedLog[] {
  switch (event.type) {
    case "Transitioned":
      return [
        ...event.intents.map((intentId) => ({
          address,
          topics: [topic("IntentFulfilled"), intentId],
          data: hex(""),
        })),
        {
          address,
          topics: [topic("Transitioned"), event.transitionHash],
          data: hex(
            sequence(
              wordList(event.inputs, word),
              wordList(event.outputs, word),
            ),
          ),
        },
      ];
    case "TransitionApproved":
      return [
        {
          address,
          topics: [
            topic("TransitionApproved"),
            event.transitionHash,
            hex(addressWord(event.delegate)),
          ],
          data: hex(""),
        },
      ];
    case "CommitteeChanged":
      return [
        {
          address,
          topics: [topic("CommitteeChanged"), hex(uintWord(event.epoch))],
          data: hex(
            sequence(
              wordList(event.members, addressWord),
              uintWord(event.threshold),
            ),
          ),
        },
      ];
  }
}

/** The log that the factory writes for a new group. */
export function groupCreatedLog(
  factory: Address,
  created: {
    readonly group: Address;
    readonly creator: Address;
    readonly salt: Bytes32;
    readonly config: GroupConfig;
  },
): EmittedLog {
  const { group, creator, salt, config } = created;
  return {
    address: factory,
    topics: [
      topic("GroupCreated"),
      hex(addressWord(group)),
      hex(addressWord(creator)),
    ],
    data: hex(
      sequence(
        word(salt),
        wordList(config.members, addressWord),
        uintWord(config.threshold),
        boolWord(config.externalCalls),
      ),
    ),
  };
}
