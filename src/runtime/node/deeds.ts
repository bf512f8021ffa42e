import { bundleText } from "../../protocol/codec.ts";
import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { AssembleOutcome } from "../../protocol/messages.ts";
import { createRecent, recall, remember } from "../../protocol/recent.ts";
import {
  type DispatchRecord,
  recordKey,
  type SavedRecord,
} from "../../protocol/records.ts";
import { assemble } from "../domains/assembler.ts";
import { deadlineAfter } from "../domains/deadline.ts";
import type { OnDomainError } from "../domains/guarded.ts";
import { signTogether } from "../keys/step-signatures.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import type { Settlement } from "../service.ts";
import type { Body } from "./body.ts";
import type { Endorsing } from "./endorsing.ts";
import type { GroupRunner } from "./group-runner.ts";
import { packedBundle } from "./packed-bundles.ts";
import type { NodePorts } from "./ports.ts";
import type { Showing } from "./showing.ts";
import { submissionOf } from "./submission.ts";
import type { Turn } from "./turns.ts";

/** Silences of the domain about one intent that count as one error. */
const SILENCES_COUNTED = 3;
/** Intents whose silences are counted. */
const SILENT_INTENTS_MAX = 1_000;

type EffectOf<Type extends Effect["type"]> = Extract<
  Effect,
  { readonly type: Type }
>;

/** What deeds are done with. */
export interface DeedPorts extends Pick<
  NodePorts,
  "store" | "sign" | "newSalt" | "users" | "timers" | "onFact" | "onTurn"
> {
  readonly endorsing: Endorsing;
  readonly showing: Pick<Showing, "show">;
  readonly submitter: Submitter;
  readonly send: (to: NodeName, body: Body) => void;
  readonly tell: (runner: GroupRunner, event: Event) => void;
  readonly onSettled: () => void;
  readonly onDomainError: OnDomainError;
  /** Something is wrong that does not mend itself. */
  readonly fail: (error: unknown) => void;
}

/** Turns effects of the core into writes and deeds of a turn. */
export class Deeds {
  readonly #self: NodeName;
  readonly #assembleMs: number;
  readonly #ports: DeedPorts;
  /** How often in a row the domain was silent about an intent. */
  readonly #silences = createRecent<IntentId, number>(SILENT_INTENTS_MAX);

  constructor(
    options: {
      readonly self: NodeName;
      /** How long the domain may take to assemble what is asked for at once. */
      readonly assembleMs: number;
    },
    ports: DeedPorts,
  ) {
    this.#self = options.self;
    this.#assembleMs = options.assembleMs;
    this.#ports = ports;
  }

  /** Adds what the core wants to a turn. */
  collect(turn: Turn, runner: GroupRunner, effects: readonly Effect[]): void {
    for (const effect of effects) this.#collect(turn, runner, effect);
    this.#watch(turn, runner);
    this.#ports.onTurn?.(turn, effects);
  }

  /** Whatever made the coordinator change its state, it is told once. */
  #watch({ deeds }: Turn, runner: GroupRunner): void {
    const { state: to } = runner.sequencer.coordinator;
    const { coordinatorTold: from, takeover } = runner;
    runner.takeover = undefined;
    if (from === to) return;
    runner.coordinatorTold = to;
    const group = runner.stored.address;
    deeds.push(() => {
      const type = "CoordinatorChanged";
      this.#ports.onFact({ type, group, from, to, takeover });
    });
  }

  #collect(turn: Turn, runner: GroupRunner, effect: Effect): void {
    const { store, users, onFact } = this.#ports;
    const { address } = runner.stored;
    switch (effect.type) {
      case "Save":
        this.#save(turn, runner, effect.record);
        return;
      case "Erase":
        turn.records.set(`${address}:${effect.key}`, () => {
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
          this.#ports.endorsing.endorse(runner, effect);
        });
        return;
      case "ShowStep":
        turn.deeds.push(() => {
          this.#ports.showing.show(runner, effect);
        });
        return;
      case "Submit":
        this.#submit(turn, runner, effect.dispatch);
        return;
      case "Accepted":
        turn.deeds.push(() => {
          onFact({ type: "Accepted", id: effect.id });
        });
        return;
      case "Refused":
        throw new Error(`${effect.id} is refused after all: ${effect.reason}.`);
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

  #save(turn: Turn, runner: GroupRunner, record: SavedRecord): void {
    const { records, bundles } = this.#ports.store;
    const { address } = runner.stored;
    const key = `${address}:${recordKey(record)}`;
    if (record.kind === "endorsed") {
      turn.records.set(key, () => {
        bundles.save(address, record, bundleText(packedBundle(record.bundle)));
      });
      turn.deeds.push(() => {
        runner.seen.keep(record.digest);
      });
      return;
    }
    turn.records.set(key, () => {
      records.save(address, record);
    });
    this.#keepStep(turn, runner, record);
    this.#tellDispatched(turn, runner, record);
  }

  /**
   * What a step creates and tells is on its sender's disk before it can happen: nobody else need ever tell it again. Whoever
   * endorses keeps the whole bundle.
   */
  #keepStep(turn: Turn, runner: GroupRunner, record: SavedRecord): void {
    if (record.kind !== "intent") return;
    const { intent, permission } = record;
    if (permission === undefined) return;
    const { id: intentId } = intent;
    const { step } = runner.sequencer.sender.transactions.get(intentId) ?? {};
    if (step === undefined || record.receipt !== undefined) return;
    const { infos } = step;
    const { committee } = runner.sequencer.config;
    turn.writes.push(() => {
      const { address } = runner.stored;
      const { digest } = permission;
      const { store } = this.#ports;
      store.infos.save(address, { intentId, digest, infos });
      if (!committee.includes(this.#self))
        store.bundles.saveStep(address, permission, step);
    });
  }

  /** A sender notes on its disk that an intent is dispatched. */
  #tellDispatched(turn: Turn, runner: GroupRunner, record: SavedRecord): void {
    if (record.kind !== "intent") return;
    const { intent, isDispatched, receipt } = record;
    if (!isDispatched || receipt !== undefined) return;
    const { address: group } = runner.stored;
    turn.deeds.push(() => {
      this.#ports.onFact({ type: "IntentDispatched", group, id: intent.id });
    });
  }

  #assemble(runner: GroupRunner, effect: EffectOf<"Assemble">): void {
    const { key, intents, view, validUntil } = effect;
    const { sign, tell, fail } = this.#ports;
    const { group, book } = runner;
    const isComplete = (): boolean => book.missing.size === 0;
    const wasComplete = isComplete();
    assemble(
      { sender: this.#self, intents, view, validUntil },
      {
        domain: group.domain,
        group,
        book,
        hashing: runner.sequencer.config.hashing,
        signSteps: (hashes) => signTogether(hashes, sign),
        newSalt: this.#ports.newSalt,
        deadline: deadlineAfter(
          { ms: this.#assembleMs, count: intents.length },
          this.#ports.timers,
        ),
        isPatient: (id) => this.#isPatient(id),
        onError: (method, error) => {
          this.#ports.onDomainError(group.domain.name, method, error);
        },
      },
    )
      .then((all) => {
        const isFinal = wasComplete && isComplete();
        // What was missing has come meanwhile.
        if (!wasComplete && isComplete() && all.some(isEnding)) {
          this.#assemble(runner, effect);
          return;
        }
        const outcomes = isFinal ? all : all.map(withoutEnding);
        tell(runner, { type: "AssemblyDone", key, outcomes });
      })
      .catch(fail);
  }

  /** A domain with much to do is slow now and then: only every third silence counts. */
  #isPatient(id: IntentId): boolean {
    const count = (recall(this.#silences, id) ?? 0) + 1;
    remember(this.#silences, id, count);
    return count % SILENCES_COUNTED !== 0;
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

/** With states that nobody has told this node about, the same intent may be possible: it is tried again. */
function withoutEnding(outcome: AssembleOutcome): AssembleOutcome {
  return isEnding(outcome) ? { ...outcome, type: "postponed" } : outcome;
}

function isEnding(
  outcome: AssembleOutcome,
): outcome is Extract<
  AssembleOutcome,
  { readonly type: "reverted" | "parked" | "error" }
> {
  return (
    outcome.type === "reverted" ||
    outcome.type === "parked" ||
    outcome.type === "error"
  );
}
