import type { Disk, Evidence, Transition } from "../evidence/evidence.ts";
import { placesOf } from "./settlement.ts";
import { type Check, short, type Violation } from "./violation.ts";

/** What nodes have on disk is what is on the ledger, at every node, to the last transition. */
export const checkBooks: Check = (evidence) =>
  evidence.disks.flatMap((disk) => [
    ...transitionsOf(disk, evidence),
    ...statesOf(disk, evidence),
    ...outcomesOf(disk, evidence),
  ]);

function transitionsOf(
  { node, transitions, fulfilled }: Disk,
  { ledger }: Evidence,
): readonly Violation[] {
  const violations: Violation[] = [];
  const own = new Map(transitions.map((one) => [one.transitionHash, one]));
  const truth = new Set(ledger.transitions.map((one) => one.transitionHash));
  const say = (what: string): void => {
    violations.push({ property: "S34", what: `${node} ${what}` });
  };
  for (const one of ledger.transitions) {
    const known = own.get(one.transitionHash);
    const name = `transition ${short(one.transitionHash)} of block ${one.block}`;
    if (known === undefined) say(`does not know ${name}`);
    else if (textOf(known) !== textOf(one)) say(`has ${name} differently`);
  }
  for (const { transitionHash } of transitions)
    if (!truth.has(transitionHash))
      say(`has transition ${short(transitionHash)}, which is on no ledger`);
  const expected = new Set(
    ledger.transitions.flatMap((one) =>
      one.intents.map((id) => `${id} ${one.transitionHash}`),
    ),
  );
  const found = new Set(
    fulfilled.map(
      ({ intent, transitionHash }) => `${intent} ${transitionHash}`,
    ),
  );
  for (const one of expected)
    if (!found.has(one)) say(`misses the fulfilment of ${short(one)}`);
  for (const one of found)
    if (!expected.has(one))
      say(`has a fulfilment of ${short(one)} that is not on the ledger`);
  return violations;
}

function textOf({
  block,
  transactionHash,
  intents,
  inputs,
  outputs,
}: Transition): string {
  return JSON.stringify([block, transactionHash, intents, inputs, outputs]);
}

function statesOf(
  { node, states }: Disk,
  { ledger }: Evidence,
): readonly Violation[] {
  const violations: Violation[] = [];
  const spent = new Set(ledger.transitions.flatMap(({ inputs }) => inputs));
  const created = new Set(ledger.transitions.flatMap(({ outputs }) => outputs));
  const own = new Map(states.map((state) => [state.id, state]));
  for (const id of created) {
    const state = own.get(id);
    if (state === undefined)
      violations.push({
        property: "books",
        what: `${node} does not have state ${short(id)}`,
      });
    else if (state.isSpent !== spent.has(id))
      violations.push({
        property: "books",
        what: `${node} takes state ${short(id)} for ${state.isSpent ? "spent" : "unspent"}, and the ledger does not`,
      });
    else if (!state.isSpent && !state.isKnown)
      violations.push({
        property: "books",
        what: `${node} does not know what state ${short(id)} holds`,
      });
  }
  for (const { id } of states)
    if (!created.has(id))
      violations.push({
        property: "books",
        what: `${node} has state ${short(id)}, which is not on the ledger`,
      });
  return violations;
}

function outcomesOf(
  { node, intents }: Disk,
  evidence: Evidence,
): readonly Violation[] {
  const places = placesOf(evidence);
  return intents.flatMap(({ id, outcome, block }): readonly Violation[] => {
    const place = places.get(id);
    // What is open may be anywhere but on the ledger; that it should have ended is another property.
    const isRight =
      outcome === "confirmed"
        ? place !== undefined && place.block === block
        : place === undefined;
    if (isRight) return [];
    return [
      {
        property: "S14",
        what: `${node} has intent ${short(id)} as ${outcome}${block === undefined ? "" : ` in block ${block}`}, and the ledger ${place === undefined ? "does not have it" : `has it in block ${place.block}`}`,
      },
    ];
  });
}
