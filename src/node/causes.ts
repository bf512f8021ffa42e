import { explain } from "../protocol/explain.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { SenderTransaction } from "../protocol/sender/transaction/model.ts";
import type { GroupRunner } from "./group-runner.ts";

/** Names and ids that one sentence lists, at most. */
const LISTED_MAX = 5;

/** A group, as far as causes are in it. */
export type ExplainedGroup = Pick<
  GroupRunner,
  "sequencer" | "stored" | "group"
> & { readonly book: Pick<GroupRunner["book"], "missing"> };

/** What a node knows besides its groups. */
export interface Surroundings {
  /** Milliseconds since a member was last heard; undefined if it was not since the start. */
  readonly heardMsAgo: (name: NodeName) => number | undefined;
  /** Members that were asked for the content of states that are missing. */
  readonly asked: () => readonly NodeName[];
  /** What is wrong with the chain, the accounts or the keys of this node, in sentences. */
  readonly troubles: () => readonly string[];
}

/** What an intent of this node waits for, with the cause as far as this node knows it; undefined if it is not open here. */
export function explainCause(
  runner: ExplainedGroup,
  id: IntentId,
  around: Surroundings,
): string | undefined {
  const sentence = explain(runner.sequencer, id);
  const transaction = runner.sequencer.sender.transactions.get(id);
  if (sentence === undefined || transaction === undefined) return sentence;
  return [
    sentence,
    endorsementsOf(runner, transaction, around),
    missingOf(runner, transaction, around),
    ...around.troubles(),
  ]
    .filter((part) => part !== undefined)
    .join(" ");
}

/** How many endorse, and who does not. Only the coordinator knows. */
function endorsementsOf(
  { sequencer, stored, group }: ExplainedGroup,
  { id, state, sentTo }: SenderTransaction,
  { heardMsAgo }: Surroundings,
): string | undefined {
  if (state !== "EndorsementGathering") return undefined;
  const { config, coordinator } = sequencer;
  const { threshold, committee } = stored;
  const work = [...coordinator.bundles, ...coordinator.preparations].find(
    ({ ids }) => ids.has(id),
  );
  if (work === undefined)
    return sentTo === undefined || sentTo === config.self
      ? undefined
      : `${threshold} of ${committee.length} members must endorse; ${sentTo} knows who is missing.`;
  const { endorsements, refusals } = work;
  const since = (name: NodeName): string => {
    const ms = heardMsAgo(name);
    return ms === undefined
      ? `${name} (not heard since the start)`
      : `${name} (last heard ${Math.round(ms / 1_000)} s ago)`;
  };
  const missing = group.endorsers.filter(
    (name) =>
      name !== config.self && !endorsements.has(name) && !refusals.has(name),
  );
  const parts = [
    `It has ${endorsements.size} of ${threshold} endorsements`,
    missing.length > 0 ? `missing: ${listed(missing.map(since))}` : undefined,
    refusals.size > 0
      ? `refused by ${listed([...refusals.keys()])}`
      : undefined,
  ];
  return `${parts.filter((part) => part !== undefined).join("; ")}.`;
}

function missingOf(
  runner: ExplainedGroup,
  transaction: SenderTransaction,
  { asked }: Surroundings,
): string | undefined {
  const { missing } = runner.book;
  const { postponed } = runner.sequencer.sender;
  if (missing.size === 0 || !postponed.has(transaction)) return undefined;
  const names = asked();
  const whom = names.length === 0 ? "nobody yet" : listed(names);
  return `This node has no content of ${missing.size} ${missing.size === 1 ? "state" : "states"} on the ledger (${listed([...missing.keys()])}); asked: ${whom}.`;
}

function listed(names: readonly string[]): string {
  const more = names.length - LISTED_MAX;
  const text = names.slice(0, LISTED_MAX).join(", ");
  return more > 0 ? `${text} and ${more} more` : text;
}
