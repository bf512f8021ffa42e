import type pg from "pg";

import {
  epoch as epochType,
  head as headType,
} from "../api/rpc/methods/operators.ts";
import type { Timers } from "../async/timers.ts";
import { ask } from "./ask.ts";
import type { Step } from "./election.ts";
import { type ElectionView, readElection } from "./election-view.ts";
import type { SupervisorFact } from "./facts.ts";
import { announceEnd, endHolder, stopLog } from "./fence.ts";
import { note } from "./history.ts";
import type { SupervisorOptions } from "./options.ts";
import { answerWish } from "./wish.ts";

type StepsOptions = Pick<
  SupervisorOptions,
  "schema" | "bucket" | "name" | "token" | "revokeMs" | "grantMs"
>;

/** Does what an election decided, on the session that has the duty. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #ports: {
    readonly timers: Timers;
    readonly onFact: (fact: SupervisorFact) => void;
  };

  constructor(
    options: StepsOptions,
    ports: {
      readonly timers: Timers;
      readonly onFact: (fact: SupervisorFact) => void;
    },
  ) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Gives whether there may be more to do at once. */
  async perform(
    client: pg.Client,
    step: Step,
    view: ElectionView,
  ): Promise<boolean> {
    switch (step.type) {
      case "wait":
        return false;
      case "revoke":
        await this.#revoke(client, step, view);
        return true;
      case "grant":
        await this.#grant(client, step, view);
        return true;
      case "refuse": {
        const { wish, problem } = step;
        await this.#note(client, "refused", wish.name, problem);
        await this.#answer(client, view, problem);
        this.#ports.onFact({ type: "Refused", replica: wish.name, problem });
        return true;
      }
      case "fulfilled":
        await this.#answer(client, view, undefined);
        return true;
    }
  }

  /** Writes down a master that came to the lease without a supervisor, or under another one. */
  async noteMaster(client: pg.Client, view: ElectionView): Promise<void> {
    const { master, epoch, notedEpoch } = view;
    if (master === undefined || notedEpoch === epoch) return;
    await this.#note(client, "found", master, "it has the lease");
    this.#ports.onFact({ type: "Found", master, epoch });
  }

  /** Politely, and then without the master. */
  async #revoke(
    client: pg.Client,
    { master, epoch, reason }: Step & { readonly type: "revoke" },
    view: ElectionView,
  ): Promise<void> {
    const { timers, onFact } = this.#ports;
    const beganAt = timers.now();
    const ending = {
      ...this.#options,
      epoch,
      isWished: reason !== "unhealthy",
    };
    if (!(await announceEnd(client, ending))) return;
    const isPolite = await this.#askToStop(master, epoch, view);
    await stopLog(client, ending);
    await endHolder(client, this.#options);
    const after = await readElection(client, this.#options);
    // Somebody else has changed the master meanwhile.
    if (!after.isStopped) return;
    await this.#note(client, "revoked", master, reason);
    const { head } = after;
    const ms = timers.now() - beganAt;
    onFact({ type: "Revoked", master, reason, head, isPolite, ms });
  }

  async #askToStop(
    master: string | undefined,
    epoch: number,
    view: ElectionView,
  ): Promise<boolean> {
    const url = urlOf(view, master);
    if (url === undefined) return false;
    const { token, revokeMs: waitMs } = this.#options;
    const answer = await ask(
      { url, token },
      { method: "admin_stopSequencer", params: [epoch], waitMs },
    );
    return "result" in answer && headType.safeParse(answer.result).success;
  }

  /** It counts as a tenure before it is known to have begun: one that never begins must not be tried forever. */
  async #grant(
    client: pg.Client,
    { to, epoch, head, reason }: Step & { readonly type: "grant" },
    view: ElectionView,
  ): Promise<void> {
    const { timers, onFact } = this.#ports;
    const beganAt = timers.now();
    if (view.isLocked) await endHolder(client, this.#options);
    await this.#note(client, "granted", to, reason);
    const { token, grantMs: waitMs } = this.#options;
    const url = urlOf(view, to) ?? "";
    const answer = await ask(
      { url, token },
      { method: "admin_startSequencer", params: [head.hash, epoch], waitMs },
    );
    const problem =
      "reason" in answer
        ? answer.reason
        : epochType.safeParse(answer.result).success
          ? undefined
          : "its answer cannot be understood";
    const ms = timers.now() - beganAt;
    onFact({ type: "Granted", replica: to, reason, problem, ms });
  }

  async #answer(
    client: pg.Client,
    { wish }: ElectionView,
    refusal: string | undefined,
  ): Promise<void> {
    if (wish === undefined) return;
    const { number } = wish;
    await answerWish(client, this.#options, { number, refusal });
  }

  async #note(
    client: pg.Client,
    act: Parameters<typeof note>[2]["act"],
    replica: string | undefined,
    reason: string,
  ): Promise<void> {
    const { name: supervisor } = this.#options;
    await note(client, this.#options, { act, replica, reason, supervisor });
  }
}

function urlOf(
  { replicas }: ElectionView,
  name: string | undefined,
): string | undefined {
  return replicas.find((one) => one.name === name)?.operatorRpc;
}
