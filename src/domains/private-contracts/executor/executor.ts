import {
  type Assembly,
  type DomainCall,
  type DomainIntent,
  DomainRefusal,
  type DomainStep,
} from "../../domain.ts";
import { type Lookup, StateMissing } from "../reader.ts";
import { type Answer, Declined, type Job, type Outputs } from "./job.ts";

/** Does jobs of private contracts, in this thread or in another one. All executors come to the same. */
export interface Executor {
  readonly run: (job: Job, lookup: Lookup) => Promise<Answer>;
}

/** An endorser looks up nothing: the step has all states. */
const nothing: Lookup = () => undefined;

export async function assembleOn(
  executor: Executor,
  intent: DomainIntent,
  lookup: Lookup,
): Promise<Assembly> {
  const answer = await executor.run({ type: "assemble", intent }, lookup);
  if (answer.type === "assembly") return answer.assembly;
  throw errorOf(answer);
}

/** The fault of a step; undefined if it is right. */
export async function endorseOn(
  executor: Executor,
  step: DomainStep,
): Promise<string | undefined> {
  const answer = await executor.run({ type: "endorse", step }, nothing);
  if (answer.type === "verdict") return answer.fault;
  throw errorOf(answer);
}

export async function queryOn(
  executor: Executor,
  call: DomainCall,
  lookup: Lookup,
): Promise<Outputs> {
  const answer = await executor.run({ type: "query", call }, lookup);
  if (answer.type === "outputs") return answer.outputs;
  if (answer.type === "declined") throw new DomainRefusal(answer.message);
  throw errorOf(answer);
}

function errorOf(answer: Answer): Error {
  switch (answer.type) {
    case "refused":
      return new DomainRefusal(answer.message);
    case "missing":
      return new StateMissing(answer.message);
    case "declined":
      return new Declined(answer.message);
    case "failed":
      return new Error(answer.message);
    case "assembly":
    case "verdict":
    case "outputs":
      return new Error(`An executor answered with another ${answer.type}.`);
  }
}
