// The other thread of worker-thread.ts: executes private contracts.
import {
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";

// Loaded before the first job, whose time it would take.
import "../evm/execute.ts";
import type { Lookup } from "../reader.ts";
import { runJob } from "./job.ts";
import {
  BEATS,
  CURRENT,
  FOUND,
  type Found,
  type JobMessage,
  type WorkerMessage,
  type WorkerStart,
} from "./messages.ts";
import { Slices } from "./slices.ts";

const { shared, found } = workerData as WorkerStart;
const slices = new Slices();

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

/** Waits until the other thread has looked it up. */
function lookupFor(id: number): Lookup {
  return (schema, label) => {
    const before = Atomics.load(shared, FOUND);
    post({ type: "lookup", id, schema, label });
    Atomics.wait(shared, FOUND, before);
    const answer = receiveMessageOnPort(found)?.message as Found | undefined;
    if (answer === undefined) throw new Error("A lookup was not answered.");
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.state;
  };
}

async function execute({ id, job, budgetMs }: JobMessage): Promise<void> {
  const onTurn = (): void => {
    Atomics.store(shared, CURRENT, id);
    Atomics.add(shared, BEATS, 1);
  };
  const lookup = lookupFor(id);
  const answer = await slices.run(
    { budgetMs, onTurn },
    async (pace) => await runJob(job, { lookup, pace }),
  );
  post({ type: "done", id, answer });
}

parentPort?.on("message", (message: JobMessage) => {
  void execute(message);
});
