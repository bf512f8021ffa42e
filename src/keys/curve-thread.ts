import path from "node:path";
import { Worker } from "node:worker_threads";

import {
  type Address,
  type CompactSignature,
  curve,
  type Digest,
  type Hex,
  isCanonical,
  nativeCurve,
} from "../ledger/index.ts";
import {
  type CurveJob,
  doJobs,
  signatureIn,
  signerIn,
  writeJobs,
} from "./curve-jobs.ts";

interface Waiting {
  readonly job: CurveJob;
  readonly done: (results: Uint8Array, index: number) => void;
}

/** Fewer are done at once: to hand them to another thread takes longer. */
const TOGETHER_MIN = 8;

/**
 * Signs, and finds out who signed. What is asked for in one turn of the event loop is done together, and in another thread
 * if it is much: the nodes of this process go on meanwhile. The thread is started when it is needed first, and does not
 * keep the process alive. If it dies, everything is done here.
 */
export class CurveThread {
  #waiting: Waiting[] = [];
  /** What the thread is busy with, oldest first. */
  #given: (readonly Waiting[])[] = [];
  #worker: Worker | undefined;
  /** Without the library there is nothing to gain. */
  #isBroken = nativeCurve === undefined;

  async sign(key: Hex, digest: Hex): Promise<Hex> {
    return await this.#ask({ type: "sign", key, digest }, signatureIn);
  }

  /** Undefined for a signature that nobody can have made. */
  async recover(
    digest: Digest,
    signature: CompactSignature,
  ): Promise<Address | undefined> {
    if (!isCanonical(signature)) return undefined;
    return await this.#ask({ type: "recover", digest, signature }, signerIn);
  }

  /** Does what it is busy with here, and all that comes after it. */
  async stop(): Promise<void> {
    this.#break();
    await this.#worker?.terminate();
  }

  async #ask<Result>(
    job: CurveJob,
    read: (results: Uint8Array, index: number) => Result,
  ): Promise<Result> {
    return await new Promise((resolve) => {
      const done = (results: Uint8Array, index: number): void => {
        resolve(read(results, index));
      };
      this.#waiting.push({ job, done });
      if (this.#waiting.length === 1)
        setImmediate(() => {
          this.#begin();
        });
    });
  }

  #begin(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    const jobs = writeJobs(batch.map(({ job }) => job));
    const worker =
      batch.length < TOGETHER_MIN || this.#isBroken ? undefined : this.#start();
    if (worker === undefined) {
      finish(batch, doJobs(jobs, curve));
      return;
    }
    this.#given.push(batch);
    worker.ref();
    worker.postMessage(jobs, [jobs.buffer as ArrayBuffer]);
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const file = `./curve-worker${path.extname(import.meta.filename)}`;
    // Loaders of this process would only make it start later.
    const worker = new Worker(new URL(file, import.meta.url), { execArgv: [] });
    worker.unref();
    worker.on("message", (results: Uint8Array) => {
      const batch = this.#given.shift();
      if (this.#given.length === 0) worker.unref();
      if (batch !== undefined) finish(batch, results);
    });
    worker.on("error", () => {
      this.#break();
    });
    worker.on("exit", () => {
      this.#break();
    });
    this.#worker = worker;
    return worker;
  }

  #break(): void {
    this.#isBroken = true;
    const given = this.#given;
    this.#given = [];
    for (const batch of given)
      finish(batch, doJobs(writeJobs(batch.map(({ job }) => job)), curve));
  }
}

function finish(batch: readonly Waiting[], results: Uint8Array): void {
  for (const [index, { done }] of batch.entries()) done(results, index);
}

/** One for all nodes of this process. */
export const curveThread = new CurveThread();
