import type { NodeWrite } from "../../node/node-writes.ts";
import type { Digest, IntentId } from "../../protocol/ids.ts";
import type { Step } from "../../protocol/transition.ts";

/** The steps of bundles that honest nodes have endorsed: what the ledger's transitions mean, whoever submitted them. */
export class EndorsedSteps {
  readonly #steps = new Map<Digest, readonly Step[]>();

  /** A node has written this. */
  see(writes: readonly NodeWrite[]): void {
    for (const write of writes)
      if (write.type === "save-record" && write.record.kind === "endorsed") {
        const { digest, bundle } = write.record;
        this.#steps.set(digest, bundle.steps);
      }
  }

  find(digest: Digest, id: IntentId): Step | undefined {
    return this.#steps.get(digest)?.find(({ intentId }) => intentId === id);
  }
}
