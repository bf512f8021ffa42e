import type { NodeWrite } from "../../node/node-writes.ts";
import type { Digest, IntentId } from "../../protocol/ids.ts";
import type { Step } from "../../protocol/transition.ts";
import { violation } from "../violation.ts";
import type { Taken } from "./users.ts";

/** The steps of bundles that honest nodes have endorsed: what the ledger's transitions mean, whoever submitted them. */
export class EndorsedSteps {
  readonly #steps = new Map<Digest, readonly Step[]>();

  /** A node has written this. S47: it signs no intent that was taken for another group. */
  see(
    writes: readonly NodeWrite[],
    taken: ReadonlyMap<IntentId, Pick<Taken, "group">>,
  ): void {
    for (const write of writes) {
      if (write.type !== "save-record" || write.record.kind !== "endorsed")
        continue;
      const { digest, bundle } = write.record;
      for (const { intentId } of bundle.steps) {
        const { group } = taken.get(intentId) ?? write;
        if (group !== write.group)
          throw violation(
            "S47",
            intentId,
            `is of ${group}, and endorsed in ${write.group}`,
          );
      }
      this.#steps.set(digest, bundle.steps);
    }
  }

  find(digest: Digest, id: IntentId): Step | undefined {
    return this.#steps.get(digest)?.find(({ intentId }) => intentId === id);
  }
}
