import type { Evidence, Receipt, Transition } from "../evidence/evidence.ts";
import { type Check, short, type Violation } from "./violation.ts";

/** Where each intent was fulfilled. */
export function placesOf({
  ledger,
}: Evidence): ReadonlyMap<string, Transition> {
  return new Map(
    ledger.transitions.flatMap((one) => one.intents.map((id) => [id, one])),
  );
}

/** The intents of accepted transactions. */
export function intentsOf({ disks }: Evidence): ReadonlyMap<string, string> {
  return new Map(
    disks.flatMap(({ transactions }) =>
      transactions.flatMap(({ id, intent }) =>
        intent === undefined ? [] : [[id, intent] as const],
      ),
    ),
  );
}

/** Every accepted intent has ended, and its receipt is what the ledger says. */
export const checkSettlement: Check = (evidence) => {
  const violations: Violation[] = [];
  const intents = intentsOf(evidence);
  const places = placesOf(evidence);
  const last = new Map(
    evidence.receipts.map(({ node, id, receipt }) => [id, { node, receipt }]),
  );
  const accepted = new Set(
    evidence.answers.flatMap((answer) =>
      answer.type === "accepted" ? [answer.id] : [],
    ),
  );
  for (const id of accepted) {
    const known = last.get(id);
    if (known?.receipt === undefined) {
      violations.push({
        property: "L2",
        what: `transaction ${id} of ${known?.node ?? "a node"} has not ended`,
      });
      continue;
    }
    const intent = intents.get(id);
    if (intent === undefined) continue;
    const fault = faultOf(known.receipt, places.get(intent));
    if (fault !== undefined)
      violations.push({
        property: "S14",
        what: `${known.node} says that ${id} ${fault}`,
      });
  }
  return violations;
};

/** What a client once heard is still so, unless the chain took it back. */
export const checkPromises: Check = (evidence) => {
  const intents = intentsOf(evidence);
  const places = placesOf(evidence);
  return evidence.answers.flatMap((answer): readonly Violation[] => {
    if (answer.type !== "receipt") return [];
    const { receipt } = answer;
    const intent = intents.get(receipt.id);
    if (intent === undefined) return [];
    const fault = faultOf(receipt, places.get(intent));
    if (fault === undefined) return [];
    const { block } = receipt;
    const isTakenBack =
      receipt.isSuccess &&
      block !== undefined &&
      evidence.replaced.some(
        ({ ancestor, from }) => ancestor < block && block <= from,
      );
    if (isTakenBack) return [];
    return [
      {
        // A failure is for ever; a success is only as long as its block.
        property: receipt.isSuccess ? "S35" : "S14",
        what: `${answer.node} told a client that ${receipt.id} ${fault}`,
      },
    ];
  });
};

/** What is wrong with a receipt; undefined if it is right. */
function faultOf(
  receipt: Receipt,
  place: Transition | undefined,
): string | undefined {
  if (!receipt.isSuccess)
    return place === undefined
      ? undefined
      : `failed, and the ledger fulfilled it in block ${place.block}`;
  const said = `was confirmed in block ${receipt.block ?? "?"} by ${short(receipt.transactionHash ?? "?")}`;
  if (place === undefined) return `${said}, and the ledger does not have it`;
  return place.block === receipt.block &&
    place.transactionHash === receipt.transactionHash
    ? undefined
    : `${said}, and the ledger has it in block ${place.block} by ${short(place.transactionHash)}`;
}
