import type pg from "pg";

import type { Timers } from "../async/timers.ts";
import { Duty } from "./duty.ts";
import {
  type Candidate,
  decide,
  type Observation,
  type WaitReason,
} from "./election.ts";
import { type ElectionView, readElection } from "./election-view.ts";
import type { SupervisorFact } from "./facts.ts";
import { dutyMsOf, type SupervisorOptions } from "./options.ts";
import { Prober } from "./prober.ts";
import { Steps } from "./steps.ts";
import type { Health } from "./window.ts";

/** Pause between rounds while a log is stopped: replicas are about to have its last turn. */
const HURRY_MS = 100;
/** A timer may be so much too early. */
const EARLY_MS = 2;

/** What is over within much less than a round. */
function isBrief(reason: WaitReason): boolean {
  return (
    reason === "candidates-catch-up" || reason === "last-master-may-answer"
  );
}

/**
 * Keeps the role of the active replica where it does its work. One supervisor of a log has the duty; others wait for it. All that must survive
 * it is in the schema.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #timers: Timers;
  readonly #onFact: (fact: SupervisorFact) => void;
  readonly #duty: Duty;
  readonly #prober: Prober;
  readonly #steps: Steps;
  #rpc: string | undefined;
  #waitsFor: WaitReason | undefined;
  #isOnDuty = false;
  #hasTrouble = false;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  /** When the next round of probes counts. */
  #countsAt = 0;

  constructor(
    options: SupervisorOptions,
    ports: {
      readonly timers: Timers;
      readonly onFact: (fact: SupervisorFact) => void;
    },
  ) {
    this.#options = options;
    this.#timers = ports.timers;
    this.#onFact = ports.onFact;
    this.#duty = new Duty({ ...options, dutyMs: dutyMsOf(options) }, ports);
    this.#prober = new Prober(
      { ...options, waitMs: options.answerMs ?? options.probeMs },
      {
        onProblem: (replica, problem) => {
          this.#onFact({ type: "Probe", replica, problem });
        },
      },
    );
    this.#steps = new Steps(options, ports);
  }

  get isOnDuty(): boolean {
    return this.#isOnDuty;
  }

  /** What it waits for; undefined if it is not on duty. */
  get waitsFor(): WaitReason | undefined {
    return this.#isOnDuty ? this.#waitsFor : undefined;
  }

  healthOf(replica: string): Health {
    return this.#prober.healthOf(replica);
  }

  problemOf(replica: string): string | undefined {
    return this.#prober.problemOf(replica);
  }

  /** @param rpc Where operators reach it. */
  start(rpc?: string): void {
    this.#rpc = rpc;
    this.#running = this.#run();
  }

  /** Resolves when nothing of it runs any more. Another supervisor can have the duty at once. */
  readonly stop = async (): Promise<void> => {
    this.#isStopping = true;
    this.#duty.wake();
    await this.#running;
  };

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      let pauseMs = this.#options.probeMs;
      try {
        const client = await this.#duty.take(this.#rpc);
        this.#tellDuty(client !== undefined);
        if (client !== undefined) pauseMs = await this.#round(client);
        this.#tellTrouble(undefined);
      } catch (error) {
        this.#tellTrouble(error);
        this.#duty.drop();
        this.#tellDuty(false);
      }
      if (!this.#stops() && pauseMs > 0) await this.#duty.sleep(pauseMs);
    }
    await this.#duty.close();
    this.#tellDuty(false);
  }

  #stops(): boolean {
    return this.#isStopping;
  }

  /** Observes and does one step; gives the pause before the next one. */
  async #round(client: pg.Client): Promise<number> {
    const { probeMs } = this.#options;
    const beganAt = this.#timers.now();
    const { replicas } = await readElection(client, this.#options);
    const answers = await this.#prober.ask(replicas);
    // The log is read after the replicas have said what they have of it.
    const view = await readElection(client, this.#options);
    // It was interrupted for so long that another supervisor may have had the duty.
    if (this.#timers.now() - beganAt > dutyMsOf(this.#options)) return 0;
    const counts = beganAt >= this.#countsAt - EARLY_MS;
    if (counts) this.#countsAt = beganAt + probeMs;
    this.#prober.take(answers, { counts });
    await this.#steps.noteMaster(client, view);
    const step = decide(this.#observe(view), this.#options);
    if (step.type === "wait") this.#tellWaiting(step.reason);
    else this.#waitsFor = undefined;
    const isBusy = await this.#steps.perform(client, step, view);
    if (isBusy && step.type !== "grant") return 0;
    const isUrgent = isBusy || (step.type === "wait" && isBrief(step.reason));
    const dueMs = Math.max(1, this.#countsAt - this.#timers.now());
    return isUrgent ? Math.min(HURRY_MS, dueMs) : dueMs;
  }

  #observe(view: ElectionView): Observation {
    const { round } = this.#prober;
    return {
      ...view,
      replicas: view.replicas.map(({ name, lastTenure }): Candidate => {
        const answer = round.get(name);
        const status =
          answer === undefined || "reason" in answer ? undefined : answer;
        return {
          name,
          health: this.#prober.healthOf(name),
          isAnswering: status !== undefined,
          problem: this.#prober.problemOf(name),
          applied: status?.applied,
          height: status?.height ?? undefined,
          lastTenure,
        };
      }),
    };
  }

  #tellDuty(isOn: boolean): void {
    if (isOn === this.#isOnDuty) return;
    this.#isOnDuty = isOn;
    this.#waitsFor = undefined;
    this.#countsAt = 0;
    this.#prober.forget();
    this.#onFact({ type: "Duty", isOn });
  }

  #tellWaiting(reason: WaitReason): void {
    if (reason === this.#waitsFor) return;
    this.#waitsFor = reason;
    this.#onFact({ type: "Waiting", reason });
  }

  /** Once when it comes, and once when it is over. */
  #tellTrouble(error: unknown): void {
    const hasTrouble = error !== undefined;
    if (hasTrouble === this.#hasTrouble) return;
    this.#hasTrouble = hasTrouble;
    this.#onFact({ type: "Trouble", error });
  }
}
