import { toHex } from "../../../ledger/index.ts";
import {
  type Assembly,
  type DomainCall,
  type DomainGroup,
  type DomainIntent,
  DomainRefusal,
  type DomainStep,
  type Json,
} from "../../domain.ts";
import { bounds } from "../bounds.ts";
import { findFault } from "../endorse.ts";
import type { Pace } from "../evm/pace.ts";
import { readCall } from "../payload.ts";
import { perform } from "../perform.ts";
import { type Lookup, Reader, StateMissing, TooManyStates } from "../reader.ts";
import { transact } from "../transaction.ts";
import type { Owner } from "./fair-queue.ts";

/** Something to execute: plain data, which can go to another thread. */
export type Job =
  | { readonly type: "assemble"; readonly intent: DomainIntent }
  | { readonly type: "endorse"; readonly step: DomainStep }
  | { readonly type: "query"; readonly call: DomainCall };

/** What came of a job, as plain data. */
export type Answer =
  | { readonly type: "assembly"; readonly assembly: Assembly }
  | { readonly type: "verdict"; readonly fault: string | undefined }
  | { readonly type: "outputs"; readonly outputs: Outputs }
  /** The domain refuses, a state is missing, this node does not do it, or something is broken. */
  | {
      readonly type: "refused" | "missing" | "declined" | "failed";
      readonly message: string;
    };

export type Outputs = Readonly<Record<string, Json>>;

export function groupOf(job: Job): DomainGroup {
  switch (job.type) {
    case "assemble":
      return job.intent.group;
    case "endorse":
      return job.step.group;
    case "query":
      return job.call.group;
  }
}

/** Whose time a job takes: that of its sender, or of the users of this node. */
export function ownerOf(job: Job): Owner {
  const group = groupOf(job).address;
  switch (job.type) {
    case "assemble":
      return { group, member: `${job.intent.sender} (own)` };
    case "endorse":
      return { group, member: job.step.sender };
    case "query":
      return { group, member: `${job.call.node} (questions)` };
  }
}

/** The same job with nothing but data. Nodes add things of their own to groups. */
export function plain(job: Job): Job {
  const { address, members, endorsers, configuration } = groupOf(job);
  const group = { address, members, endorsers, configuration };
  switch (job.type) {
    case "assemble":
      return { ...job, intent: { ...job.intent, group } };
    case "endorse":
      return { ...job, step: { ...job.step, group } };
    case "query":
      return { ...job, call: { ...job.call, group } };
  }
}

/** This node does not do it, which says nothing about whether others do. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** Does a job. It never throws. */
export async function runJob(
  job: Job,
  ports: { readonly lookup: Lookup; readonly pace: Pace },
): Promise<Answer> {
  try {
    switch (job.type) {
      case "assemble":
        return {
          type: "assembly",
          assembly: await transact(job.intent, ports),
        };
      case "endorse":
        return {
          type: "verdict",
          fault: await findFault(job.step, ports.pace),
        };
      case "query":
        return { type: "outputs", outputs: await ask(job.call, ports) };
    }
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): Answer {
  const message = error instanceof Error ? error.message : "unknown";
  if (error instanceof DomainRefusal) return { type: "refused", message };
  if (error instanceof StateMissing) return { type: "missing", message };
  if (error instanceof Declined) return { type: "declined", message };
  return { type: "failed", message };
}

/** Executes a call and forgets what it did. */
async function ask(
  call: DomainCall,
  { lookup, pace }: { readonly lookup: Lookup; readonly pace: Pace },
): Promise<Outputs> {
  const { group, node } = call;
  const chance = new Uint8Array(32);
  try {
    const ports = { reader: new Reader(lookup), pace };
    const done = await perform(readCall(call), { group, node, chance }, ports);
    if (done.type === "failed") throw new DomainRefusal(done.reason);
    const { length } = done.returned;
    if (length > bounds.returnedBytes)
      throw new DomainRefusal(
        `The contract returns ${length} bytes, and ${bounds.returnedBytes} is the most. Ask for less at a time.`,
      );
    return { returned: toHex(done.returned) };
  } catch (error) {
    if (error instanceof StateMissing)
      throw new DomainRefusal(
        `The group has not begun yet, or this node does not know all of it: ${error.message} is missing.`,
      );
    if (error instanceof TooManyStates) throw new DomainRefusal(error.message);
    throw error;
  }
}
