import { setTimeout } from "node:timers/promises";

import type { Random } from "../../helpers/random.ts";
import type { Answer } from "../../torture/harness/evidence/evidence.ts";
import { ask } from "../../torture/harness/network/rpc.ts";
import type { ServedReplica } from "./replica.ts";

/** Between two questions to one replica. */
const EVERY_MS = 150;
const TIMEOUT_MS = 30_000;

/**
 * Asks every replica, also those that do not answer, for what clients were told before. Whoever answers as active must know it: a replica
 * that was replaced meanwhile would not.
 */
export class Reader {
  readonly #answers: readonly Answer[];
  readonly #random: Random;
  readonly violations: string[] = [];
  /** How often somebody answered, and how often somebody refused. */
  readonly count = { answered: 0, refused: 0 };

  constructor(ports: {
    readonly answers: readonly Answer[];
    readonly random: Random;
  }) {
    this.#answers = ports.answers;
    this.#random = ports.random;
  }

  async run(replica: ServedReplica, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await Promise.race([this.look(replica), setTimeout(2_000)]);
      await setTimeout(EVERY_MS);
    }
  }

  /** Asks once. Whether it was answered. */
  async look({
    name,
    url,
  }: Pick<ServedReplica, "name" | "url">): Promise<boolean> {
    const accepted = this.#pick();
    if (accepted === undefined) return false;
    const { key, id } = accepted;
    let known: { readonly id: string } | null;
    try {
      const method = "ptx_getTransactionByIdempotencyKey";
      known = await ask(url, { method, params: [key] }, TIMEOUT_MS);
    } catch {
      this.count.refused += 1;
      return false;
    }
    this.count.answered += 1;
    if (known?.id !== id)
      this.violations.push(
        `${name} answered that ${key} is ${known?.id ?? "unknown"}, after a client was told that it is ${id}`,
      );
    return true;
  }

  /** What was told last is what a replica that lags behind lacks. */
  #pick(): { readonly key: string; readonly id: string } | undefined {
    const told = this.#answers.flatMap((one) =>
      one.type === "accepted" && one.node === "alice" ? [one] : [],
    );
    const recent = this.#random.chance(0.5) ? told.slice(-3) : told;
    return recent.length === 0 ? undefined : this.#random.pick(recent);
  }
}
