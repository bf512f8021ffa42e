import {
  type Bytes32,
  decodeLogs,
  type GroupConfig,
  type Hex,
  topicOf,
} from "../../ledger/index.ts";
import {
  type GroupAddress,
  parseGroupAddress,
  parseIntentId,
} from "../../protocol/ids.ts";
import type {
  IndexedBlock,
  IndexedCommittee,
  IndexedTransition,
} from "../ports.ts";
import type { ChainLog, Header } from "../values.ts";

/** A group that the factory created. */
export interface CreatedGroup extends GroupConfig {
  readonly group: GroupAddress;
  readonly creator: Hex;
  readonly salt: Bytes32;
  readonly transactionHash: Hex;
}

/** A block with the groups that were created in it. */
export interface ChainBlock extends IndexedBlock {
  readonly committees: readonly IndexedCommittee[];
  readonly created: readonly CreatedGroup[];
}

/** Whose logs count. */
export interface Watched {
  readonly groups: ReadonlySet<string>;
  readonly factory: string | undefined;
}

/** The events that the indexer reads. */
export const indexedTopics: readonly string[] = [
  topicOf("IntentFulfilled"),
  topicOf("Transitioned"),
  topicOf("CommitteeChanged"),
  topicOf("GroupCreated"),
];

/** A block, from its header and its logs. Logs that are not from our contracts, or that are malformed, count for nothing. */
export function blockOf(
  { number, hash, parentHash, timestamp }: Header,
  logs: readonly ChainLog[],
  { groups, factory }: Watched,
): ChainBlock {
  const transitions: IndexedTransition[] = [];
  const committees: IndexedCommittee[] = [];
  const created: CreatedGroup[] = [];
  // Anybody can write logs with our topics: they are not even decoded.
  const ours = logs.filter(
    ({ address }) => groups.has(address) || address === factory,
  );
  const inOrder = ours.sort((a, b) => a.logIndex - b.logIndex);
  for (const fact of decodeLogs(inOrder)) {
    const { transactionHash, transactionIndex, logIndex } = fact.log;
    if (fact.type === "Transitioned" && groups.has(fact.address)) {
      const group = parseGroupAddress(fact.address);
      if (group === undefined) continue;
      const { transitionHash, inputs, outputs } = fact;
      const intents = fact.intents.flatMap((id) => parseIntentId(id) ?? []);
      transitions.push({
        group,
        transitionHash,
        intents,
        inputs,
        outputs,
        transactionHash,
        transactionIndex,
        logIndex,
      });
    } else if (fact.type === "CommitteeChanged" && groups.has(fact.address)) {
      const group = parseGroupAddress(fact.address);
      if (group === undefined) continue;
      const { epoch, members, threshold } = fact;
      committees.push({ group, epoch, members, threshold });
    } else if (fact.type === "GroupCreated" && fact.address === factory) {
      const group = parseGroupAddress(fact.group);
      if (group === undefined) continue;
      const { creator, salt, members, threshold, externalCalls } = fact;
      const config = { members, threshold, externalCalls };
      created.push({ group, creator, salt, ...config, transactionHash });
    }
  }
  return {
    number,
    hash,
    parentHash,
    timestamp,
    transitions,
    committees,
    created,
  };
}
