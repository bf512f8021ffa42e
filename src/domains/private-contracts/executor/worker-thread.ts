import path from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";

import { bounds } from "../bounds.ts";
import { readOptions } from "../options.ts";
import type { Lookup } from "../reader.ts";
import type { Executor } from "./executor.ts";
import { FairQueue, type Owner } from "./fair-queue.ts";
import { type Answer, groupOf, type Job, ownerOf, plain } from "./job.ts";
import {
  BEATS,
  CURRENT,
  FOUND,
  type Found,
  type JobMessage,
  SHARED_LENGTH,
  type WorkerMessage,
  type WorkerStart,
} from "./messages.ts";

interface Task {
  readonly id: number;
  readonly owner: Owner;
  readonly job: Job;
  readonly lookup: Lookup;
  readonly done: (answer: Answer) => void;
}

interface Running {
  readonly worker: Worker;
  readonly shared: WorkerStart["shared"];
  readonly found: MessagePort;
  readonly tasks: Map<number, Task>;
  beats: number;
  /** How often in a row nothing had happened since the look before. */
  quietLooks: number;
}

/** Limits of a worker, if not those of `bounds.ts`. */
export interface WorkerThreadOptions {
  readonly heapMb?: number;
  readonly lookMs?: number;
  readonly budgetMs?: number;
}

/**
 * Executes in another thread, so that no contract can block the nodes of this process, whatever it does. The thread is started when it
 * is needed first, never keeps the process alive, and is replaced if it dies.
 */
export class WorkerThread implements Executor {
  readonly #options: WorkerThreadOptions;
  readonly #queue = new FairQueue<Task>({ waitingMax: bounds.jobsWaiting });
  /** Tasks of a worker that died. One of them may be why, so each has the next worker to itself. */
  #suspects: Task[] = [];
  /** The task that has the worker to itself. */
  #alone: Task | undefined;
  #running: Running | undefined;
  #watch: NodeJS.Timeout | undefined;
  #ids = 0;

  constructor(options: WorkerThreadOptions = {}) {
    this.#options = options;
  }

  /** The thread of the worker, if there is one. */
  get threadId(): number | undefined {
    return this.#running?.worker.threadId;
  }

  readonly run = async (job: Job, lookup: Lookup): Promise<Answer> =>
    await new Promise((done) => {
      this.#ids += 1;
      const owner = ownerOf(job);
      const task = { id: this.#ids, owner, job: plain(job), lookup, done };
      if (this.#queue.push(owner, task)) this.#fill();
      else
        done(
          declined(
            `${owner.member} has ${bounds.jobsWaiting} calls waiting here already. Try again later.`,
          ),
        );
    });

  /** Declines all that it is busy with. */
  async stop(): Promise<void> {
    const running = this.#running;
    const tasks = [
      ...this.#forget(),
      ...this.#suspects.splice(0),
      ...this.#queue.drain(),
    ];
    for (const { done } of tasks)
      done(declined("The thread for contracts was stopped."));
    await running?.worker.terminate();
  }

  /** Begins as much as may run at once. */
  #fill(): void {
    while (this.#alone === undefined) {
      const tasks = [...(this.#running?.tasks.values() ?? [])];
      const isFull =
        this.#suspects.length > 0
          ? tasks.length > 0
          : tasks.length >= bounds.jobsAtOnce;
      if (isFull) return;
      this.#alone = this.#suspects.shift();
      const task = this.#alone ?? this.#take(tasks);
      if (task === undefined) return;
      this.#begin(task);
    }
  }

  /** One of each member at a time, and few of each group. */
  #take(tasks: readonly Task[]): Task | undefined {
    return this.#queue.take(({ group, member }) => {
      const same = tasks.filter(({ owner }) => owner.group === group);
      return (
        same.length < bounds.jobsAtOnceOfGroup &&
        same.every(({ owner }) => owner.member !== member)
      );
    });
  }

  #begin(task: Task): void {
    const { worker, tasks } = (this.#running ??= this.#start());
    const { id, job } = task;
    tasks.set(id, task);
    const budgetMs = this.#options.budgetMs ?? budgetOf(job);
    const message: JobMessage = { id, job, budgetMs };
    worker.postMessage(message);
    this.#watch ??= setInterval(() => {
      this.#look();
    }, this.#options.lookMs ?? bounds.lookMs).unref();
  }

  #start(): Running {
    const file = `./worker-entry${path.extname(import.meta.filename)}`;
    const shared = new Int32Array(new SharedArrayBuffer(4 * SHARED_LENGTH));
    const { port1, port2 } = new MessageChannel();
    const start: WorkerStart = { shared, found: port2 };
    const worker = new Worker(new URL(file, import.meta.url), {
      // Loaders of this process would only make it start later.
      execArgv: [],
      workerData: start,
      transferList: [port2],
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.heapMb ?? bounds.heapMb,
      },
    });
    const tasks = new Map<number, Task>();
    const running: Running = {
      worker,
      shared,
      found: port1,
      tasks,
      beats: 0,
      quietLooks: 0,
    };
    worker.on("message", (message: WorkerMessage) => {
      if (message.type === "done") this.#finish(running, message);
      else find(running, message);
    });
    let why = "The thread for contracts ended.";
    worker.on("error", (error: Error) => {
      why = `The thread for contracts failed: ${error.message}`;
    });
    worker.on("exit", () => {
      if (this.#running === running) this.#replace(why);
    });
    // Listeners make it keep the process alive, so this comes after them.
    worker.unref();
    return running;
  }

  #finish(
    { tasks }: Running,
    { id, answer }: Extract<WorkerMessage, { readonly type: "done" }>,
  ): void {
    const task = tasks.get(id);
    tasks.delete(id);
    if (this.#alone === task) this.#alone = undefined;
    task?.done(answer);
    this.#fill();
  }

  /** Nothing is expected of the worker any more; the tasks that it had. */
  #forget(): Task[] {
    const { found, tasks = [] } = this.#running ?? {};
    found?.close();
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#running = undefined;
    this.#alone = undefined;
    return [...tasks.values()];
  }

  /** The worker is gone. If it had one task only, that is why. */
  #replace(why: string): void {
    const [first, ...others] = this.#forget();
    if (first !== undefined && others.length === 0) first.done(declined(why));
    else if (first !== undefined) this.#suspects.push(first, ...others);
    this.#fill();
  }

  /**
   * A worker whose job has not given it away for many looks is stuck in one operation. Looks are counted, not seconds: if this
   * thread stands still, there are none.
   */
  #look(): void {
    const running = this.#running;
    if (running === undefined) return;
    const beats = Atomics.load(running.shared, BEATS);
    // Before the first beat it is still being loaded.
    const isBusy = running.tasks.size > 0 && beats > 0;
    const isQuiet = isBusy && beats === running.beats;
    running.beats = beats;
    running.quietLooks = isQuiet ? running.quietLooks + 1 : 0;
    if (running.quietLooks < bounds.quietLooks) return;
    const current = Atomics.load(running.shared, CURRENT);
    const tasks = this.#forget();
    for (const task of tasks)
      if (task.id !== current && tasks.length > 1) this.#suspects.push(task);
      else task.done(declined("One operation of it took too long."));
    void running.worker.terminate();
    this.#fill();
  }
}

/** Answers a lookup of the worker, which waits for it. */
function find(
  { shared, found, tasks }: Running,
  { id, schema, label }: Extract<WorkerMessage, { readonly type: "lookup" }>,
): void {
  let answer: Found;
  try {
    const state = tasks.get(id)?.lookup(schema, label);
    answer = { state };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : "unknown" };
  }
  found.postMessage(answer);
  Atomics.add(shared, FOUND, 1);
  Atomics.notify(shared, FOUND);
}

/** About four times as long as the most expensive transaction of the group takes on a slow day: what is right ends before. */
function budgetOf(job: Job): number {
  const { gasLimit } = readOptions(groupOf(job));
  return bounds.budgetMs + Number(gasLimit) / bounds.gasPerMs;
}

function declined(message: string): Answer {
  return { type: "declined", message };
}

/** One for all nodes of this process. */
export const workerThread = new WorkerThread();
