import type { GroupAddress, IntentId } from "../../protocol/ids.ts";
import type { Member } from "../../cluster/member.ts";
import type { IntentEffect } from "../../node/service.ts";
import { SequencerError } from "../errors.ts";
import { asUserError } from "./refusals.ts";
import type { ConfirmedReceipt, IntentReceipt, SentIntent } from "./types.ts";
import type { Waits } from "./waits.ts";

/** An intent at its node. */
export class Intent implements SentIntent {
  readonly id: IntentId;
  readonly node: string;
  readonly group: GroupAddress;
  readonly #member: Member;
  readonly #waits: Waits;
  readonly #restores: () => number;
  readonly #since: number;

  constructor(
    options: { readonly id: IntentId; readonly group: GroupAddress },
    ports: {
      readonly member: Member;
      readonly waits: Waits;
      /** How often the nodes went back to an earlier moment. */
      readonly restores: () => number;
    },
  ) {
    this.id = options.id;
    this.group = options.group;
    this.node = ports.member.name;
    this.#member = ports.member;
    this.#waits = ports.waits;
    this.#restores = ports.restores;
    this.#since = ports.restores();
  }

  async receipt(): Promise<IntentReceipt> {
    const { id, node, group } = this;
    const gone = this.#gone();
    if (gone !== undefined) throw gone;
    const settled = this.#member.settlement(group, id);
    const { outcome } = await this.#waits.until(node, settled, () =>
      this.#gone(),
    );
    if (outcome.type === "Reverted")
      return { type: "reverted", id, reason: outcome.reason };
    const { block, transactionHash } = outcome;
    return { type: "confirmed", id, block, transactionHash };
  }

  async confirmed(): Promise<ConfirmedReceipt> {
    const receipt = await this.receipt();
    if (receipt.type === "confirmed") return receipt;
    const { id, node } = this;
    const { reason } = receipt;
    throw new SequencerError("INTENT_REVERTED", { id, node, reason });
  }

  explain(): string | undefined {
    if (this.#member.isUp) return this.#member.node.explain(this.id);
    return `${this.node} is down, and takes it up again when it is restarted.`;
  }

  async resume(): Promise<boolean> {
    const gone = this.#gone();
    if (gone !== undefined) throw gone;
    return await asUserError(
      async () => await this.#member.node.resume(this.id),
    );
  }

  effect(): IntentEffect | undefined {
    return this.#member.isUp
      ? this.#member.node.effectOf(this.group, this.id)
      : undefined;
  }

  /** An intent that is younger than the moment to which its node went back is not there any more. */
  #gone(): SequencerError | undefined {
    const { id, node, group } = this;
    if (this.#restores() === this.#since || !this.#member.isUp)
      return undefined;
    return this.#member.knows(group, id)
      ? undefined
      : new SequencerError("INTENT_GONE", { id, node });
  }
}
