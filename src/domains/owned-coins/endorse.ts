import type { DomainState, DomainStep } from "../domain.ts";
import { nodeOf } from "./account.ts";
import { INPUTS_MAX } from "./assemble.ts";
import { AMOUNT_MAX, type Coin, readCoin, sumOf } from "./coin.ts";
import { type CoinIntent, readPayload } from "./intent.ts";
import { coinsFrom, infoOf } from "./outputs.ts";
import { isAccountOf, isIssuer, readSettings } from "./settings.ts";

/** What a witness finds wrong with a step; undefined if it is right. */
export function findFault(step: DomainStep): string | undefined {
  const intent = readPayload(step.payload);
  if (intent === undefined) return "the intent makes no sense";
  return (
    findWrongAsker(intent, step) ??
    findExtra(intent, step) ??
    findWrongInput(intent, step.inputs) ??
    findWrongOutput(intent, step)
  );
}

/** Only the node of an account speaks for it. */
function findWrongAsker(
  intent: CoinIntent,
  { group, sender }: DomainStep,
): string | undefined {
  if (nodeOf(intent.from) !== sender)
    return `${sender} does not speak for ${intent.from}`;
  if (intent.type === "issue" && !isIssuer(readSettings(group), intent.from))
    return `${intent.from} may not issue`;
  return "to" in intent && !isAccountOf(group.members, intent.to)
    ? "nobody in the group could spend it"
    : undefined;
}

function findExtra(
  intent: CoinIntent,
  { reads, infos, calls }: DomainStep,
): string | undefined {
  if (reads.length > 0) return "coins read nothing";
  if (calls.length > 0) return "coins call nobody";
  const [info] = infos;
  return infos.length === 1 && info !== undefined && isInfoOf(intent, info)
    ? undefined
    : "it tells something else than it does";
}

function findWrongInput(
  intent: CoinIntent,
  inputs: readonly DomainState[],
): string | undefined {
  if (intent.type === "issue")
    return inputs.length === 0 ? undefined : "who issues spends nothing";
  if (inputs.length < (intent.type === "merge" ? 2 : 1))
    return "it spends too few coins";
  if (inputs.length > INPUTS_MAX) return "it spends too many coins";
  return inputs.every((input) => readCoin(input)?.owner === intent.from)
    ? undefined
    : "it spends what its owner does not own";
}

/** Nothing is created or lost on the way, and everybody gets what was asked for. */
function findWrongOutput(
  intent: CoinIntent,
  { inputs, outputs }: DomainStep,
): string | undefined {
  const total = sumOf(inputs.flatMap((input) => readCoin(input) ?? []));
  if ("amount" in intent && intent.type !== "issue")
    if (total < BigInt(intent.amount)) return "it spends too little";
  const wanted = coinsFrom(intent, total);
  if (wanted.some(({ amount }) => amount > AMOUNT_MAX))
    return "a coin would be worth too much";
  const isSame =
    outputs.length === wanted.length &&
    wanted.every((coin, i) => isCoin(coin, outputs[i]));
  return isSame ? undefined : "it creates something else than was asked for";
}

function isCoin(
  { owner, amount }: Coin,
  output: DomainState | undefined,
): boolean {
  const read = output && readCoin(output);
  return read?.owner === owner && read.amount === amount;
}

function isInfoOf(
  intent: CoinIntent,
  { schema, label, data }: DomainState,
): boolean {
  const wanted = infoOf(intent);
  return (
    schema === wanted.schema &&
    label === wanted.label &&
    JSON.stringify(data) === JSON.stringify(wanted.data)
  );
}
