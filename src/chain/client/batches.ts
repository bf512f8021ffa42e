import { ChainError } from "../ports.ts";
import {
  fieldOf,
  type JsonRpcAnswer,
  readAnswer,
  refusalOf,
  resultOf,
} from "./answers.ts";
import type { Attempt } from "./careful.ts";
import { clientLimits, isLongMethod } from "./limits.ts";
import { isRateLimit, RateLimited } from "./rate-limit.ts";

/** One request of a batch. */
export interface BatchRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An answer over HTTP to one request or to a batch. */
export interface WireAnswer {
  readonly status: number;
  /** As JSON; undefined if it is not. */
  readonly value: unknown;
}

/** How requests get to the endpoint. */
export interface BatchPorts {
  /** How to name the endpoint to people. */
  readonly name: string;
  /** Sends several requests as one. Rejects with a {@link ChainError}. */
  readonly post: (
    requests: readonly BatchRequest[],
    signal: AbortSignal,
  ) => Promise<WireAnswer>;
  /** Sends one request alone. */
  readonly single: Attempt;
  /** Called for every request that is sent once more, alone. */
  readonly onRepeat: (method: string) => void;
}

interface Waiting extends BatchRequest {
  readonly signal: AbortSignal;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends requests that begin at the same moment as one JSON-RPC batch. An endpoint that refuses batches, or answers without
 * some of the requests, gets these requests one by one; one that refuses for good gets no more batches.
 */
export class Batches {
  readonly #ports: BatchPorts;
  #waiting: Waiting[] = [];
  #id = 0;
  #refusals = 0;
  /** Batches that nobody waits for any more, since anything was answered. */
  #unanswered = 0;
  /** Batches in a row after which the endpoint wanted fewer requests. */
  #limits = 0;
  /** Requests in one batch, at most: fewer where the endpoint takes fewer. */
  #size: number = clientLimits.batchRequests;
  #sizeMax: number = clientLimits.batchRequests;

  constructor(ports: BatchPorts) {
    this.#ports = ports;
  }

  /** Whether the endpoint still gets batches. */
  get isBatching(): boolean {
    return this.#refusals < clientLimits.batchRefusals;
  }

  readonly attempt: Attempt = async (method, params, signal) => {
    if (!this.isBatching)
      return await this.#ports.single(method, params, signal);
    return await new Promise((resolve, reject) => {
      const id = ++this.#id;
      this.#waiting.push({ id, method, params, signal, resolve, reject });
      // Work that ends in the same turn of the event loop is followed by its requests at once.
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  };

  #flush(): void {
    const waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    this.#waiting = [];
    // A search that takes long must not keep others from their answers.
    const [long, short] = [
      waiting.filter(({ method }) => isLongMethod(method)),
      waiting.filter(({ method }) => !isLongMethod(method)),
    ];
    this.#sendInBatches(short, this.#size);
    this.#sendInBatches(long, Math.min(this.#size, clientLimits.batchSearches));
  }

  #sendInBatches(requests: readonly Waiting[], size: number): void {
    for (let at = 0; at < requests.length; at += size)
      void this.#send(requests.slice(at, at + size));
  }

  async #send(requests: readonly Waiting[]): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    if (requests.length === 1 || !this.isBatching) {
      this.#sendSingly(requests);
      return;
    }
    let answer: WireAnswer | undefined;
    try {
      answer = await this.#ports.post(requests, signalOf(requests));
    } catch (error) {
      if (error instanceof RateLimited) {
        this.#limit(requests, requests, error);
        return;
      }
      // An answer that is too long for all of them together, or a server that closes the connection on batches.
    }
    if (Array.isArray(answer?.value)) this.#take(requests, answer.value);
    else await this.#probe(requests, answer);
  }

  /** Answers may come in any order. Without one, a request was perhaps not even looked at: it is sent alone. */
  #take(requests: readonly Waiting[], values: readonly unknown[]): void {
    const { name } = this.#ports;
    const answers = new Map<unknown, JsonRpcAnswer>();
    let isRefused = false;
    for (const value of values) {
      const answer = readAnswer(value);
      if (answer === undefined) continue;
      if (!isAboutBatch(answer)) answers.set(answer.id, answer);
      else isRefused = true;
    }
    const missing = requests.filter(({ id }) => !answers.has(id));
    for (const { id, resolve, reject } of requests) {
      const answer = answers.get(id);
      if (answer === undefined) continue;
      try {
        resolve(resultOf(answer, name));
      } catch (error) {
        reject(error);
      }
    }
    this.#unanswered = 0;
    if (hasRateLimit(requests, [...answers.values()])) {
      this.#limit(requests, missing, new RateLimited(name));
      return;
    }
    this.#limits = 0;
    this.#refusals = missing.length < requests.length ? 0 : this.#refusals + 1;
    if (isRefused && missing.length === requests.length)
      this.#sizeMax = halfOf(requests);
    if (missing.length === 0 && requests.length >= this.#size) this.#size += 1;
    this.#size = Math.min(this.#size, this.#sizeMax);
    this.#sendAgain(missing);
  }

  /** Where a batch is more than an endpoint takes at a time, the same batch would be refused after every pause. */
  #limit(
    requests: readonly Waiting[],
    refused: readonly Waiting[],
    error: RateLimited,
  ): void {
    this.#limits += 1;
    if (this.#limits > 1) this.#size = Math.min(this.#size, halfOf(requests));
    rejectAll(refused, error);
  }

  /** One request is tried alone before all others are: an endpoint in trouble must not get more requests for that. */
  async #probe(
    requests: readonly Waiting[],
    answer: WireAnswer | undefined,
  ): Promise<void> {
    const refusal = fieldOf(answer?.value, "error") ?? undefined;
    const explained = refusal === undefined ? undefined : refusalOf(refusal);
    if (explained !== undefined && isRateLimit("", explained)) {
      this.#limit(requests, requests, new RateLimited(this.#ports.name));
      return;
    }
    const [first, ...others] = requests.filter(({ signal }) => !signal.aborted);
    if (first === undefined) {
      this.#unanswered += 1;
      return;
    }
    try {
      this.#ports.onRepeat(first.method);
      await this.#sendSingle(first);
    } catch (error) {
      const isAnswer = error instanceof ChainError && error.kind === "refused";
      first.reject(error);
      if (!isAnswer) {
        rejectAll(others, error);
        return;
      }
    }
    const { status = 0 } = answer ?? {};
    // An endpoint that refuses batches says so. Anything else may pass.
    const isFinal = explained !== undefined || (status >= 400 && status < 500);
    this.#refusals += isFinal ? clientLimits.batchRefusals : 1;
    this.#size = Math.min(this.#size, halfOf(requests));
    this.#sendAgain(others);
  }

  async #sendSingle({
    method,
    params,
    signal,
    resolve,
  }: Waiting): Promise<void> {
    resolve(await this.#ports.single(method, params, signal));
    // The endpoint hangs on batches, and not on everything.
    if (this.#unanswered > 0) this.#refusals += 1;
    this.#unanswered = 0;
  }

  #sendAgain(requests: readonly Waiting[]): void {
    for (const { method } of requests) this.#ports.onRepeat(method);
    this.#sendSingly(requests);
  }

  #sendSingly(requests: readonly Waiting[]): void {
    for (const request of requests)
      this.#sendSingle(request).catch(request.reject);
  }
}

function rejectAll(requests: readonly Waiting[], error: unknown): void {
  for (const { reject } of requests) reject(error);
}

/** Half as many requests, in a batch nevertheless. */
function halfOf(requests: readonly Waiting[]): number {
  return Math.max(2, Math.floor(requests.length / 2));
}

/** Nodes answer some request of a batch with an error that is about all of them: JSON-RPC has no other place for it. */
function isAboutBatch({ error }: JsonRpcAnswer): boolean {
  const message = fieldOf(error, "message");
  // A contract may say anything.
  if (typeof message !== "string" || /revert/i.test(message)) return false;
  return /\bbatch|response too large|request timed out/i.test(message);
}

/** Whether the endpoint wants fewer requests, as an answer to one of them or to nobody says. */
function hasRateLimit(
  requests: readonly Waiting[],
  answers: readonly JsonRpcAnswer[],
): boolean {
  return answers.some(({ id, error }) => {
    if (error === undefined || error === null) return false;
    const asked = requests.find((request) => request.id === id);
    return isRateLimit(asked?.method ?? "", refusalOf(error));
  });
}

/** A batch is given up when nobody waits for any of its answers. */
function signalOf(requests: readonly Waiting[]): AbortSignal {
  const abort = new AbortController();
  let waiting = requests.length;
  const leave = (): void => {
    waiting -= 1;
    if (waiting === 0) abort.abort();
  };
  for (const { signal } of requests)
    signal.addEventListener("abort", leave, { once: true });
  return abort.signal;
}
