import type { IntentId } from "./ids.ts";
import { nextIdOf } from "./id-runs.ts";
import { limits } from "./limits.ts";
import type { State, Step, StepOutline } from "./transition.ts";

// On the wire and on the disk, steps in order are rows of values without the names of their fields. Most steps go on from the one
// before, so a row leaves out what is the same or follows from it: an id that comes next in its lane, a sender, a payload; and
// an input that the step before created is named by its place among the outputs there.

/** Stands for what is the same as in the row before, or comes next. */
const SAME = null;

type Row = readonly unknown[];

/** What a row can refer to. */
interface Before {
  readonly intentId: IntentId;
  readonly outputs: readonly { readonly id: string }[];
}

/** Writes steps as rows. */
export function packSteps(steps: readonly Step[]): readonly Row[] {
  let before: Step | undefined;
  return steps.map((step) => {
    const row = [
      idIn(step, before),
      step.laneSalt === before?.laneSalt ? SAME : step.laneSalt,
      step.sender === before?.sender ? SAME : step.sender,
      step.payload === before?.payload ? SAME : step.payload,
      namesOf(step.inputs, before),
      namesOf(step.reads, before),
      flat(step.outputs),
      flat(step.infos),
      step.calls,
      step.found,
      step.validUntil === before?.validUntil ? SAME : step.validUntil,
      step.salt,
      step.signature,
    ];
    before = step;
    return row;
  });
}

/** Writes outlines of steps as rows. */
export function packOutlines(steps: readonly StepOutline[]): readonly Row[] {
  let before: StepOutline | undefined;
  return steps.map((step) => {
    const row = [
      idIn(step, before),
      namesOf(step.inputs, before),
      namesOf(step.reads, before),
      step.outputs.map(({ id }) => id),
      step.calls,
      step.hash,
    ];
    before = step;
    return row;
  });
}

function idIn(
  { intentId }: Before,
  before: Before | undefined,
): IntentId | typeof SAME {
  return before !== undefined && nextIdOf(before.intentId) === intentId
    ? SAME
    : intentId;
}

/** States by their ids, or by their places among the outputs of the step before. */
function namesOf(
  ids: readonly string[],
  before: Before | undefined,
): readonly (string | number)[] {
  if (before === undefined || ids.length === 0) return ids;
  return ids.map((id) => {
    const place = before.outputs.findIndex((output) => output.id === id);
    return place === -1 ? id : place;
  });
}

/** States as a list of their ids and contents in turn. */
function flat(states: readonly State[]): readonly string[] {
  const list: string[] = [];
  for (const { id, content } of states) list.push(id, content);
  return list;
}

const STEP_FIELDS = 13;
const OUTLINE_FIELDS = 6;

/**
 * Reads rows of steps. Anything else is left as it is: it may be a step that was written with the names of its fields, and is still to be
 * checked. Undefined if the payloads together are longer than a message may be.
 */
export function unpackSteps(rows: unknown): unknown {
  let length = 0;
  return unpack(rows, STEP_FIELDS, (row, before) => {
    const step = {
      intentId: row[0] === SAME ? nextId(before) : row[0],
      laneSalt: row[1] === SAME ? fieldOf(before, "laneSalt") : row[1],
      sender: row[2] === SAME ? fieldOf(before, "sender") : row[2],
      payload: row[3] === SAME ? fieldOf(before, "payload") : row[3],
      inputs: idsOf(row[4], before),
      reads: idsOf(row[5], before),
      outputs: statesOf(row[6]),
      infos: statesOf(row[7]),
      calls: row[8],
      found: row[9],
      validUntil: row[10] === SAME ? fieldOf(before, "validUntil") : row[10],
      salt: row[11],
      signature: row[12],
    };
    // A short message must not become a long bundle.
    if (typeof step.payload === "string") length += step.payload.length;
    return length > limits.messageBytes ? undefined : step;
  });
}

/** Reads rows of outlines, in the same way. */
export function unpackOutlines(rows: unknown): unknown {
  return unpack(rows, OUTLINE_FIELDS, (row, before) => ({
    intentId: row[0] === SAME ? nextId(before) : row[0],
    inputs: idsOf(row[1], before),
    reads: idsOf(row[2], before),
    outputs: Array.isArray(row[3])
      ? row[3].map((id: unknown) => ({ id }))
      : row[3],
    calls: row[4],
    hash: row[5],
  }));
}

function unpack(
  rows: unknown,
  fields: number,
  read: (row: Row, before: object | undefined) => object | undefined,
): unknown {
  if (!Array.isArray(rows) || rows.length > limits.bundle) return rows;
  let before: object | undefined;
  const steps: unknown[] = [];
  for (const row of rows as readonly unknown[]) {
    if (!Array.isArray(row) || row.length !== fields) {
      steps.push(row);
      before = undefined;
      continue;
    }
    before = read(row, before);
    if (before === undefined) return undefined;
    steps.push(before);
  }
  return steps;
}

function nextId(before: object | undefined): unknown {
  const id = fieldOf(before, "intentId");
  return typeof id === "string" ? nextIdOf(id) : undefined;
}

function idsOf(names: unknown, before: object | undefined): unknown {
  if (!Array.isArray(names)) return names;
  if (names.every((name) => typeof name === "string")) return names;
  const outputs = fieldOf(before, "outputs");
  return names.map((name: unknown): unknown => {
    if (typeof name !== "number") return name;
    const output: unknown = Array.isArray(outputs) ? outputs[name] : undefined;
    return typeof output === "object" && output !== null
      ? fieldOf(output, "id")
      : undefined;
  });
}

function statesOf(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const states: object[] = [];
  for (let at = 0; at < list.length; at += 2)
    states.push({ id: list[at] as unknown, content: list[at + 1] as unknown });
  return states;
}

function fieldOf(value: object | undefined, name: string): unknown {
  return value === undefined
    ? undefined
    : (value as Readonly<Record<string, unknown>>)[name];
}
