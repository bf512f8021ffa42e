import {
  type IntentId,
  type NodeName,
  parseNodeName,
} from "../../../src/protocol/ids.ts";
import type { State } from "../../../src/protocol/transition.ts";
import type { DomainState, NewState } from "../../../src/domains/domain.ts";
import { createState, readState } from "../../../src/domains/states/content.ts";

/** States of a step, as its sender creates them. Infos come after the outputs. */
export function create(
  states: readonly NewState[],
  intentId: IntentId,
  offset = 0,
): readonly State[] {
  return states.map((state, index) =>
    createState(state, { intentId, index: offset + index }),
  );
}

/** What is in a state. */
export function read(state: State): DomainState {
  const content = readState(state);
  if (content === undefined) throw new Error("A state makes no sense.");
  const { id, schema, label, data } = content;
  return { id, schema, label, data };
}

/** A text that is a node's name. */
export function nodeNamed(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name of a node.`);
  return name;
}
