import type { StateId } from "../protocol/ids.ts";
import { netOf } from "../protocol/net.ts";
import { digestOf } from "../protocol/outline.ts";
import type { DispatchRecord } from "../protocol/records.ts";
import type { Bundle, Endorsement } from "../protocol/transition.ts";
import type { Chain } from "./chain.ts";
import { isSigned } from "./hashing.ts";
import type { SimulatedNode } from "./node.ts";
import type { Group } from "./transition.ts";
import { violation } from "./violation.ts";

/** S4: enough members signed exactly this. */
export function checkEndorsements(
  bundle: Bundle,
  endorsements: readonly Endorsement[],
  { committee, threshold, hashing }: Group,
): void {
  const { digest } = bundle;
  if (digestOf(hashing, bundle) !== digest)
    throw violation("S4", digest, "dispatched under a wrong digest");
  const signers = new Set(
    endorsements
      .filter(
        ({ endorser, signature }) =>
          committee.includes(endorser) && isSigned(signature, endorser, digest),
      )
      .map(({ endorser }) => endorser),
  );
  if (signers.size < threshold || signers.size !== endorsements.length)
    throw violation("S4", digest, "dispatched without k good endorsements");
}

/** S25: what it builds on is confirmed, or was dispatched before by the same signer. */
export function checkProducers(
  node: SimulatedNode,
  { bundle }: DispatchRecord,
  earlier: readonly DispatchRecord[],
  chain: Chain,
): void {
  const net = netOf(bundle.steps);
  if (net.conflicts.length > 0)
    throw violation("S25", bundle.digest, "spends a state twice");
  for (const id of [...net.inputs, ...net.reads]) {
    if (node.holdings.has(id)) continue;
    // The ledger has it, or had it and it is spent, and the news has not come here yet.
    if (chain.content(id) !== undefined) continue;
    // Somebody else was faster, and the news came after the endorsements: the ledger refuses.
    if (node.holdings.isSpent(id)) continue;
    let isDispatched = earlier.some((record) => createsState(record, id));
    for (const record of node.disk.records.values())
      if (record.kind === "dispatch" && createsState(record, id))
        isDispatched = true;
    if (!isDispatched)
      throw violation("S25", id, "built on a state nobody has dispatched");
  }
}

function createsState({ bundle }: DispatchRecord, id: StateId): boolean {
  return bundle.steps.some(({ outputs }) =>
    outputs.some((output) => output.id === id),
  );
}
