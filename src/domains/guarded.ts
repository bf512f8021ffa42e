import type { NodeName } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import { type Domain, DomainRefusal, type GroupPlan } from "./domain.ts";
import { kindOf } from "./read-assembly.ts";

/** Gets what a domain throws, or says that makes no sense. */
export type OnDomainError = (
  domain: string,
  method: string,
  error: unknown,
) => void;

/** Characters of a name in `touches`: other nodes read no more. */
const TOUCHED_LENGTH_MAX = 128;

/**
 * A domain as its node uses it: an error or a senseless answer becomes a refusal with the reason where somebody asked, and
 * elsewhere the answer that harms least. Answers of `assemble` and `endorse` are judged by those who ask for them.
 */
export function guarded(domain: Domain, onError: OnDomainError): Domain {
  const report = (method: string, error: unknown): void => {
    onError(domain.name, method, error);
  };
  /** For those whose error goes to the user who asked. */
  const refusing = <Answer>(method: string, ask: () => Answer): Answer => {
    try {
      return ask();
    } catch (error) {
      throw refusalOf(domain, method, error, report);
    }
  };
  const orElse = <Answer>(
    method: string,
    otherwise: Answer,
    ask: () => Answer,
  ): Answer => {
    try {
      return ask();
    } catch (error) {
      report(method, error);
      return otherwise;
    }
  };
  const { endorsersOf, allowsCalls, genesis } = domain;
  return {
    ...domain,
    checkGroup: (group) => {
      refusing("checkGroup", () => {
        domain.checkGroup(group);
      });
      if (endorsersOf !== undefined)
        refusing("endorsersOf", () => readEndorsers(endorsersOf(group), group));
    },
    ...(allowsCalls && {
      allowsCalls: (group: GroupPlan) =>
        refusing("allowsCalls", () => allowsCalls(group)),
    }),
    // An empty payload makes no sense to a domain: the intent is reverted, and so is all that waits for it.
    ...(genesis && {
      genesis: (group: Parameters<typeof genesis>[0]) =>
        orElse("genesis", "", () => readPayload(genesis(group))),
    }),
    check: (call) =>
      refusing("check", () => {
        const { payload, touches } = domain.check(call);
        return { payload: readPayload(payload), touches: readTouches(touches) };
      }),
    // A promise is not a yes.
    isEntitled: (group, state, node) =>
      orElse("isEntitled", false, () => {
        const answer: unknown = domain.isEntitled(group, state, node);
        if (typeof answer === "boolean") return answer;
        throw new Error(
          `It must give true or false, but gives ${kindOf(answer)}.`,
        );
      }),
    // Retries are bounded.
    isRetryable: (reason) =>
      orElse("isRetryable", true, () => domain.isRetryable(reason)),
  };
}

function refusalOf(
  { name }: Domain,
  method: string,
  error: unknown,
  report: (method: string, error: unknown) => void,
): DomainRefusal {
  if (error instanceof DomainRefusal) return error;
  report(method, error);
  const said = error instanceof Error ? error.message : "unknown";
  return new DomainRefusal(
    `The domain "${name}" failed in ${method}: ${said}`,
    {
      cause: error,
    },
  );
}

function readEndorsers(answer: unknown, { members }: GroupPlan): void {
  const isMember = (name: unknown): boolean =>
    members.includes(name as NodeName);
  if (!Array.isArray(answer) || answer.length === 0 || !answer.every(isMember))
    throw new Error("It must give a list of members that is not empty.");
}

function readPayload(payload: unknown): string {
  if (typeof payload !== "string")
    throw new Error(`The payload must be text, but is ${kindOf(payload)}.`);
  if (payload.length > limits.contentBytes)
    throw new DomainRefusal(
      `The intent has a payload of ${payload.length} characters, and ${limits.contentBytes} is the most. Ask for less at a time.`,
    );
  return payload;
}

function readTouches(touches: unknown): readonly string[] | undefined {
  if (touches === undefined) return undefined;
  const isName = (name: unknown): name is string =>
    typeof name === "string" && name.length <= TOUCHED_LENGTH_MAX;
  if (!Array.isArray(touches) || !touches.every(isName))
    throw new Error(
      `touches must be a list of names of at most ${TOUCHED_LENGTH_MAX} characters, or undefined.`,
    );
  if (touches.length > limits.states)
    throw new DomainRefusal(
      `The intent touches ${touches.length} names, and ${limits.states} is the most. Ask for less at a time.`,
    );
  return touches;
}
