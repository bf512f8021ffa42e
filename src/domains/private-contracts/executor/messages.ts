import type { MessagePort } from "node:worker_threads";

import type { DomainState } from "../../domain.ts";
import type { Answer, Job } from "./job.ts";

// Between a node's thread and the worker that executes contracts.

/** To the worker. */
export interface JobMessage {
  readonly id: number;
  readonly job: Job;
  /** For how long it may use the worker. */
  readonly budgetMs: number;
}

/** From the worker: a job is done, or a state is looked up for it. */
export type WorkerMessage =
  | { readonly type: "done"; readonly id: number; readonly answer: Answer }
  | {
      readonly type: "lookup";
      readonly id: number;
      readonly schema: string;
      readonly label: string;
    };

/** What a lookup found, or why it failed. */
export interface Found {
  readonly state?: DomainState | undefined;
  readonly error?: string;
}

/** What a worker begins with. */
export interface WorkerStart {
  /** Integers that both threads see, at the places below. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** Where {@link Found} comes. */
  readonly found: MessagePort;
}

/** Goes up when something was found. */
export const FOUND = 0;
/** Goes up whenever a job goes on. */
export const BEATS = 1;
/** The id of the job that is being executed. */
export const CURRENT = 2;
export const SHARED_LENGTH = 3;
