import { parseDigest as parseLedgerDigest } from "../../ledger/index.ts";
import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { DispatchRecord, SavedRecord } from "../../protocol/records.ts";
import { assemble } from "../domains/assembler.ts";
import { findFault } from "../domains/checker.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import { NodeRefusal, type Settlement } from "../service.ts";
import type { Body } from "./body.ts";
import type { CatchUp } from "./catch-up.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { NodePorts } from "./ports.ts";
import { submissionOf } from "./submission.ts";
import type { Turn } from "./turns.ts";

type EffectOf<Type extends Effect["type"]> = Extract<
  Effect,
  { readonly type: Type }
>;

/** What deeds are done with. */
export interface DeedPorts extends Pick<
  NodePorts,
  "store" | "directory" | "sign" | "endorser" | "users" | "onFact"
> {
  readonly catchUp: CatchUp;
  readonly submitter: Submitter;
  readonly send: (to: NodeName, body: Body) => void;
  readonly tell: (runner: GroupRunner, event: Event) => void;
  readonly onSettled: () => void;
}

/** Turns effects of the core into writes and deeds of a turn. */
export class Deeds {
  readonly #self: NodeName;
  readonly #ports: DeedPorts;
  /** Users who wait to hear whether their intent is taken. */
  readonly #submitting = new Map<
    IntentId,
    { readonly resolve: () => void; readonly reject: (error: Error) => void }
  >();

  constructor(options: { readonly self: NodeName }, ports: DeedPorts) {
    this.#self = options.self;
    this.#ports = ports;
  }

  /** Resolves when the intent is on disk. */
  async untilAccepted(id: IntentId): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#submitting.set(id, { resolve, reject });
    });
  }

  /** Nobody will hear of what is not accepted yet. */
  stop(): void {
    const error = new NodeRefusal(
      "The node stopped before the intent was taken. Send it again.",
    );
    for (const { reject } of this.#submitting.values()) reject(error);
    this.#submitting.clear();
  }

  /** Adds what the core wants to a turn. */
  collect(turn: Turn, runner: GroupRunner, effects: readonly Effect[]): void {
    for (const effect of effects) this.#collect(turn, runner, effect);
    this.#watch(turn, runner);
  }

  /** Whatever made the coordinator change its state, it is told once. */
  #watch({ deeds }: Turn, runner: GroupRunner): void {
    const { state: to } = runner.sequencer.coordinator;
    const { coordinatorTold: from } = runner;
    if (from === to) return;
    runner.coordinatorTold = to;
    const group = runner.stored.address;
    deeds.push(() => {
      this.#ports.onFact({ type: "CoordinatorChanged", group, from, to });
    });
  }

  #collect(turn: Turn, runner: GroupRunner, effect: Effect): void {
    const { store, users, onFact } = this.#ports;
    const { address } = runner.stored;
    switch (effect.type) {
      case "Save":
        turn.writes.push(() => {
          store.records.save(address, effect.record);
        });
        this.#keepStep(turn, runner, effect.record);
        return;
      case "Erase":
        turn.writes.push(() => {
          store.records.erase(address, effect.key);
        });
        return;
      case "Send":
        turn.deeds.push(() => {
          const { to, message } = effect;
          this.#ports.send(to, { type: "message", group: address, message });
        });
        return;
      case "Assemble":
        turn.deeds.push(() => {
          this.#assemble(runner, effect);
        });
        return;
      case "Endorse":
        turn.deeds.push(() => {
          this.#endorse(runner, effect);
        });
        return;
      case "Submit":
        this.#submit(turn, runner, effect.dispatch);
        return;
      case "Accepted":
        turn.deeds.push(() => {
          onFact({ type: "Accepted", id: effect.id });
          this.#submitting.get(effect.id)?.resolve();
          this.#submitting.delete(effect.id);
        });
        return;
      case "Refused":
        turn.deeds.push(() => {
          this.#submitting
            .get(effect.id)
            ?.reject(new NodeRefusal(`${effect.reason}.`));
          this.#submitting.delete(effect.id);
        });
        return;
      case "Settled": {
        let settlement: Settlement | undefined;
        turn.writes.push(() => {
          settlement = this.#settlementOf(runner, effect);
          users.settle(settlement);
        });
        turn.deeds.push(() => {
          if (settlement !== undefined) onFact({ type: "Settled", settlement });
          this.#ports.onSettled();
        });
        return;
      }
      case "PreparedForUser":
        turn.deeds.push(() => {
          onFact({ type: "Prepared", group: address, id: effect.id });
        });
        return;
    }
  }

  /**
   * What a step tells is on its sender's disk before it can happen: nobody else need ever tell it again. What it creates
   * is at hand when it happens, as far as the sender may see it.
   */
  #keepStep(turn: Turn, runner: GroupRunner, record: SavedRecord): void {
    if (record.kind !== "intent" || record.permission === undefined) return;
    const { id: intentId } = record.intent;
    const { digest } = record.permission;
    const { step } = runner.sequencer.sender.transactions.get(intentId) ?? {};
    if (step === undefined || record.receipt !== undefined) return;
    const { infos, outputs } = step;
    const { committee, mayKnow } = runner.sequencer.config;
    // Who endorses gets the whole bundle.
    if (!committee.includes(this.#self))
      turn.deeds.push(() => {
        const known = outputs.filter((state) => mayKnow(this.#self, state));
        runner.seen.addOwn(digest, known);
      });
    turn.writes.push(() => {
      const { address } = runner.stored;
      this.#ports.store.infos.save(address, { intentId, digest, infos });
    });
  }

  #assemble(
    runner: GroupRunner,
    { key, intents, view }: EffectOf<"Assemble">,
  ): void {
    const { catchUp, sign, tell } = this.#ports;
    const { group, book } = runner;
    catchUp.whenComplete(runner, () => {
      void assemble(
        { sender: this.#self, intents, view },
        { domain: group.domain, group, book, signStep: sign },
      ).then((outcomes) => {
        tell(runner, { type: "AssemblyDone", key, outcomes });
      });
    });
  }

  #endorse(runner: GroupRunner, effect: EffectOf<"Endorse">): void {
    const { catchUp, tell } = this.#ports;
    const { digest } = effect.bundle;
    runner.seen.add(effect.coordinator, effect.bundle);
    catchUp.whenComplete(runner, () => {
      void this.#check(runner, effect).then((outcome) => {
        tell(runner, { type: "EndorsementDone", digest, outcome });
      });
    });
  }

  async #check(
    runner: GroupRunner,
    { bundle, view }: EffectOf<"Endorse">,
  ): Promise<Extract<Event, { type: "EndorsementDone" }>["outcome"]> {
    const { directory, endorser } = this.#ports;
    const { group, book, stored } = runner;
    const fault = await findFault(
      { bundle, view },
      {
        domain: group.domain,
        group,
        book,
        epoch: stored.epoch,
        allowsCalls: stored.genesis.externalCalls,
        membersCount: stored.committee.length,
        isFulfilled: (id) => runner.isFulfilled(id),
        isSignedBy: (sender, hash, signature) =>
          group.members.includes(sender) &&
          directory.isSignedBy(sender, hash, signature),
      },
    );
    if (fault !== undefined) return { type: "refused", ...fault };
    const signature = await endorser.sign(parseLedgerDigest(bundle.digest));
    return { type: "endorsed", signature };
  }

  /** The dispatch is saved in the same commit in which its base-ledger transaction gets its turn. */
  #submit(turn: Turn, runner: GroupRunner, dispatch: DispatchRecord): void {
    const { submitter, onFact } = this.#ports;
    const { bundle } = dispatch;
    const { address } = runner.stored;
    runner.seen.add(this.#self, bundle);
    turn.writes.push(() => {
      submitter.reserve(submissionOf(runner, dispatch));
    });
    turn.deeds.push(() => {
      submitter.submit(bundle.digest);
      onFact({
        type: "Dispatched",
        group: address,
        digest: bundle.digest,
        intents: bundle.steps.length,
      });
    });
  }

  #settlementOf(
    runner: GroupRunner,
    { receipt }: EffectOf<"Settled">,
  ): Settlement {
    const { address } = runner.stored;
    const base = { group: address, intentId: receipt.id };
    if (receipt.type === "Reverted")
      return {
        ...base,
        outcome: { type: "Reverted", reason: receipt.reason },
      };
    const fulfilment = this.#ports.store.blocks.fulfilment(address, receipt.id);
    if (fulfilment === undefined)
      throw new Error(`${receipt.id} is confirmed, and the ledger has it not.`);
    const { block, transactionHash, transactionIndex, logIndex } = fulfilment;
    return {
      ...base,
      outcome: {
        type: "Confirmed",
        block,
        transactionHash,
        transactionIndex,
        logIndex,
      },
    };
  }
}
