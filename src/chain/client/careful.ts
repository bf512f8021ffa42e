import { ChainError, type ChainClient } from "../ports.ts";
import type { Timers } from "../../async/timers.ts";
import { unreachable } from "./answers.ts";
import { isRateLimit, RateLimit, RateLimited } from "./rate-limit.ts";

/** One attempt at a request. It is given up when the signal says so. Rejects with a {@link ChainError}. */
export type Attempt = (
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
) => Promise<unknown>;

/** What a careful request is made of. */
export interface CarefulPorts {
  readonly attempt: Attempt;
  readonly timers: Timers;
  readonly rateLimit: RateLimit;
  /** Called for every attempt. */
  readonly onRequest: (method: string) => void;
}

/** Requests with a deadline, which end when the client closes, and pause while the endpoint wants fewer. */
export class CarefulRequests {
  readonly #name: string;
  readonly #deadlineOf: (method: string) => number;
  readonly #ports: CarefulPorts;
  readonly #open = new Set<(why: string) => void>();
  #isClosed = false;

  constructor(
    options: {
      /** How to name the chain to people. */
      readonly name: string;
      readonly deadlineOf: (method: string) => number;
    },
    ports: CarefulPorts,
  ) {
    this.#name = options.name;
    this.#deadlineOf = options.deadlineOf;
    this.#ports = ports;
  }

  readonly request: ChainClient["request"] = async (method, params) => {
    if (this.#isClosed) throw unreachable(this.#name, "The client was closed.");
    const abort = new AbortController();
    let isLimited = false;
    return await new Promise((resolve, reject) => {
      const end = (): void => {
        this.#open.delete(giveUp);
        cancel();
      };
      const giveUp = (why: string, isLate = false): void => {
        end();
        reject(
          isLimited && !this.#isClosed
            ? new RateLimited(this.#name)
            : unreachable(this.#name, why, { isLate }),
        );
        abort.abort();
      };
      const cancel = this.#ports.timers.after(this.#deadlineOf(method), () => {
        giveUp("It did not answer in time.", true);
      });
      this.#open.add(giveUp);
      const limited = (): void => {
        isLimited = true;
      };
      this.#ask(method, params, { signal: abort.signal, limited }).then(
        (result) => {
          end();
          resolve(result);
        },
        (error: unknown) => {
          end();
          reject(
            error instanceof ChainError
              ? error
              : unreachable(this.#name, error),
          );
        },
      );
    });
  };

  /** Everybody who waits for an answer gets none. */
  close(): void {
    this.#isClosed = true;
    for (const giveUp of [...this.#open]) giveUp("The client was closed.");
  }

  async #ask(
    method: string,
    params: readonly unknown[],
    call: { readonly signal: AbortSignal; readonly limited: () => void },
  ): Promise<unknown> {
    const { attempt, rateLimit, onRequest } = this.#ports;
    for (;;) {
      while (rateLimit.pause !== undefined) {
        call.limited();
        await rateLimit.pause;
      }
      call.signal.throwIfAborted();
      onRequest(method);
      try {
        const result = await attempt(method, params, call.signal);
        rateLimit.reset();
        return result;
      } catch (error) {
        if (error instanceof RateLimited) rateLimit.hit(error.retryAfterMs);
        else if (error instanceof ChainError && isRateLimit(method, error))
          rateLimit.hit(undefined);
        else throw error;
      }
    }
  }
}
