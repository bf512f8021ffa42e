import { limits } from "../protocol/limits.ts";
import { lengthOf, lengthOfBundle } from "../protocol/size.ts";
import type { State, Step } from "../protocol/transition.ts";

/** JSON writes one character of a payload with six bytes at the most. */
const BYTES_PER_CHARACTER = 6;

/** Why nodes cannot tell each other a step, or the ledger cannot take it, with the limit and the size; undefined if they can. */
export function findExcess(step: Step): string | undefined {
  return (
    findTooMany(step) ??
    findTooLong("output", step.outputs) ??
    findTooLong("info", step.infos) ??
    findExcessOfCalls(step) ??
    findTooLarge(step)
  );
}

function findTooMany(step: Step): string | undefined {
  const lists = [
    ["spends", step.inputs.length, limits.states, "states"],
    ["reads", step.reads.length, limits.states, "states"],
    ["creates", step.outputs.length, limits.states, "states"],
    ["tells", step.infos.length, limits.infos, "infos"],
    ["makes", step.calls.length, limits.calls, "public calls"],
  ] as const;
  for (const [verb, count, max, things] of lists)
    if (count > max)
      return `It ${verb} ${count} ${things}, and ${max} is the most. Do less at a time.`;
  return undefined;
}

function findTooLong(
  kind: string,
  states: readonly State[],
): string | undefined {
  const { contentBytes: max } = limits;
  for (const [index, { content }] of states.entries())
    if (content.length > max)
      return `The content of ${kind} ${index} has ${content.length} characters, and ${max} is the most. Use smaller states.`;
  return undefined;
}

/** A step whose calls do not fit one transaction can never happen. */
function findExcessOfCalls({ calls }: Step): string | undefined {
  const gas = calls.reduce((sum, { gasMin }) => sum + gasMin, 0);
  if (gas > limits.callsGas)
    return `Its public calls ask for ${gas} gas, and ${limits.callsGas} is the most that fits a transaction. Call less at a time.`;
  const lengths = calls.map(({ data }) => data.length - 2);
  const longest = Math.max(0, ...lengths);
  const digits = lengths.reduce((sum, length) => sum + length, 0);
  if (digits > limits.callsDigits)
    return `Its public calls carry ${digits / 2} bytes, and ${limits.callsDigits / 2} is the most that fits a transaction. Call less at a time.`;
  if (longest > limits.callDigits)
    return `A public call carries ${longest / 2} bytes, and ${limits.callDigits / 2} is the most. Call with less.`;
  return undefined;
}

/** Written down only if it may be too large: most steps are far from that. */
function findTooLarge(step: Step): string | undefined {
  const bound =
    lengthOfBundle({ steps: [step], places: [] }) +
    (BYTES_PER_CHARACTER - 1) * lengthOf(step);
  if (bound <= limits.stepBytes) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(step));
  return bytes > limits.stepBytes
    ? `The step has ${bytes} bytes with its states and calls, and ${limits.stepBytes} is the most. Do less at a time.`
    : undefined;
}
