import { ChainError } from "../ports.ts";
import type { Timers } from "../../async/timers.ts";
import { Backoff } from "../backoff.ts";
import { clientLimits } from "./limits.ts";

/** The endpoint wants fewer requests. Nothing was done. */
export class RateLimited extends ChainError {
  readonly retryAfterMs: number | undefined;

  constructor(where: string, retryAfterMs?: number) {
    super(
      "unreachable",
      `${where} refuses requests because there were too many. Requests pause and are repeated.`,
    );
    this.retryAfterMs = retryAfterMs;
  }
}

/** JSON-RPC's code for "limit exceeded". */
const LIMIT_EXCEEDED = -32_005;

/** Some endpoints use the code for searches with too many results too, and those need fewer blocks instead of a pause. */
export function isRateLimit(
  method: string,
  { code, message }: Pick<ChainError, "code" | "message">,
): boolean {
  if (code === 429) return true;
  if (code !== LIMIT_EXCEEDED) return false;
  return !(
    method === "eth_getLogs" && /result|range|block|logs|size/i.test(message)
  );
}

/** Reads the header `Retry-After`: seconds, or a date. Undefined if it says neither. */
export function retryAfterOf(
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - nowMs;
  if (!Number.isFinite(ms)) return undefined;
  return Math.min(Math.max(ms, 0), clientLimits.pauseMsMax);
}

/** Pauses requests to an endpoint that wants fewer. All clients of one endpoint share it. */
export class RateLimit {
  readonly #timers: Timers;
  readonly #backoff = new Backoff({
    firstMs: clientLimits.pauseMsFirst,
    lastMs: clientLimits.pauseMsMax,
  });
  #pause: Promise<void> | undefined;
  #hits = 0;

  constructor(ports: { readonly timers: Timers }) {
    this.#timers = ports.timers;
  }

  /** How often the endpoint wanted fewer requests. */
  get hits(): number {
    return this.#hits;
  }

  /** The pause that lasts now, if there is one. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** The endpoint wants fewer requests. One refusal of many at the same time begins the pause. */
  hit(retryAfterMs: number | undefined): void {
    this.#hits++;
    if (this.#pause !== undefined) return;
    const ms = Math.max(this.#backoff.next(), retryAfterMs ?? 0);
    this.#pause = new Promise((resolve) => {
      this.#timers.after(ms, () => {
        this.#pause = undefined;
        resolve();
      });
    });
  }

  /** It answered. */
  reset(): void {
    if (this.#pause === undefined) this.#backoff.reset();
  }
}
