import type { EndorseOutcome } from "../protocol/events.ts";
import type { IntentId, NodeName, StateId } from "../protocol/ids.ts";
import { netOf } from "../protocol/net.ts";
import type { AssembleOutcome, StepFault } from "../protocol/messages.ts";
import { digestOf } from "../protocol/outline.ts";
import type {
  Bundle,
  Intent,
  PlacedState,
  SpeculativeView,
  Step,
} from "../protocol/transition.ts";
import { type Coin, type Holdings, mintCoin, readCoin } from "./coins.ts";
import { hashing, isSigned, sign, stateIdOf, stepHash } from "./hashing.ts";

// A token that belongs to the whole group: any member may spend any coin, so intents contend for the same coins.
// Payloads: "pay <from> <to> <amount>", "split <account>", "merge <account>", "note <account>" (reads a coin and spends
// none), "later <payload>" (parked until the user says so). Everything else is nonsense and reverts.

/** What a node sees while it assembles: the ledger, what is in flight, and what it has assembled just before. */
class View {
  readonly #holdings: Holdings;
  readonly #created = new Map<StateId, Coin>();
  readonly #spent: Set<StateId>;

  constructor(holdings: Holdings, view: SpeculativeView) {
    this.#holdings = holdings;
    this.#spent = new Set(view.spent);
    for (const state of view.created) {
      const coin = readCoin(state);
      if (coin !== undefined) this.#created.set(state.id, coin);
    }
  }

  /** Coins of an account until their sum is reached, at most `countMax`. */
  take(account: string, sum: number, countMax: number): Coin[] {
    const taken: Coin[] = [];
    let total = 0;
    for (const coins of [
      this.#holdings.coinsOf(account),
      this.#created.values(),
    ]) {
      for (const coin of coins) {
        if (taken.length === countMax || total >= sum) return taken;
        const { id } = coin.state;
        if (coin.account !== account || coin.amount === 0) continue;
        if (this.#spent.has(id) || this.#holdings.isSpent(id)) continue;
        if (taken.some(({ state }) => state.id === id)) continue;
        taken.push(coin);
        total += coin.amount;
      }
    }
    return taken;
  }

  apply(inputs: readonly Coin[], outputs: readonly Coin[]): void {
    for (const { state } of inputs) this.#spent.add(state.id);
    for (const coin of outputs) this.#created.set(coin.state.id, coin);
  }
}

/** Assembles intents in order, each on top of the ones before. */
export function assemble(request: {
  readonly sender: NodeName;
  readonly intents: readonly Intent[];
  readonly view: SpeculativeView;
  readonly validUntil: number;
  readonly holdings: Holdings;
  /** Intents that are not ready yet. */
  readonly parked: ReadonlySet<IntentId>;
  /** Intents that cannot be assembled just now. Nothing is built on them. */
  readonly failing?: ReadonlySet<IntentId>;
}): AssembleOutcome[] {
  const view = new View(request.holdings, request.view);
  return request.intents.map((intent): AssembleOutcome => {
    const { id } = intent;
    if (request.parked.has(id))
      return { type: "parked", id, reason: "not ready yet" };
    if (request.failing?.has(id) === true)
      return { type: "error", id, reason: "cannot assemble now" };
    const plan = planOf(intent, view);
    if (typeof plan === "string")
      return revertsOnLedger(intent, request.holdings)
        ? { type: "reverted", id, reason: plan }
        : { type: "postponed", id, reason: plan };
    const outputs = plan.outputs.map(({ account, amount }, index) =>
      mintCoin({ account, amount, index, intentId: id }),
    );
    view.apply(plan.inputs, outputs);
    const used = [...plan.inputs, ...plan.reads];
    const unsigned: Step = {
      intentId: id,
      laneSalt: intent.laneSalt,
      sender: request.sender,
      payload: intent.payload,
      inputs: plan.inputs.map(({ state }) => state.id),
      reads: plan.reads.map(({ state }) => state.id),
      outputs: outputs.map(({ state }) => state),
      infos: [],
      calls: [],
      found: used.flatMap(({ state }) => whereabouts(request.holdings, state)),
      validUntil: request.validUntil,
      salt: "",
      signature: "",
    };
    const signature = sign(request.sender, stepHash(unsigned));
    return { type: "assembled", id, step: { ...unsigned, signature } };
  });
}

/** Whether it cannot be done on the ledger alone, whatever is in flight. */
export function revertsOnLedger(intent: Intent, holdings: Holdings): boolean {
  const ledger = new View(holdings, { created: [], spent: [] });
  return typeof planOf(intent, ledger) === "string";
}

function whereabouts(
  holdings: Holdings,
  { id }: { readonly id: StateId },
): PlacedState[] {
  const place = holdings.placeOf(id);
  return place === undefined ? [] : [{ id, place }];
}

interface Plan {
  readonly inputs: readonly Coin[];
  readonly reads: readonly Coin[];
  readonly outputs: readonly {
    readonly account: string;
    readonly amount: number;
  }[];
}

const sumOf = (coins: readonly Coin[]): number =>
  coins.reduce((sum, { amount }) => sum + amount, 0);

/** What an intent comes to in this view, or why it cannot be done. */
function planOf({ payload }: Intent, view: View): Plan | string {
  const words = payload.split(" ");
  if (words[0] === "later") words.shift();
  const [verb, account = "", to = "", amountText = ""] = words;
  switch (verb) {
    case "pay": {
      const amount = Number(amountText);
      if (!Number.isSafeInteger(amount) || amount <= 0) return "no amount";
      const inputs = view.take(account, amount, 16);
      const change = sumOf(inputs) - amount;
      if (change < 0) return "insufficient funds";
      const outputs = [{ account: to, amount }];
      if (change > 0) outputs.push({ account, amount: change });
      return { inputs, reads: [], outputs };
    }
    case "split": {
      const [coin] = view.take(account, 1, 1);
      if (coin === undefined) return "nothing to split";
      const half = Math.floor(coin.amount / 2);
      const outputs = [half, coin.amount - half]
        .filter((amount) => amount > 0)
        .map((amount) => ({ account, amount }));
      return { inputs: [coin], reads: [], outputs };
    }
    case "merge": {
      const inputs = view.take(account, Infinity, 4);
      if (inputs.length === 0) return "nothing to merge";
      const outputs = [{ account, amount: sumOf(inputs) }];
      return { inputs, reads: [], outputs };
    }
    case "note": {
      const reads = view.take(account, 1, 1);
      return { inputs: [], reads, outputs: [{ account, amount: 0 }] };
    }
    case undefined:
    default:
      return "nonsense";
  }
}

/** Checks a bundle step by step, as an honest endorser does, and signs it. */
export function endorse(request: {
  readonly endorser: NodeName;
  readonly bundle: Bundle;
  readonly view: SpeculativeView;
  readonly holdings: Holdings;
}): EndorseOutcome {
  const { bundle, view, holdings } = request;
  const digest = digestOf(hashing, bundle);
  if (digest !== bundle.digest) return refused("wrong digest");
  const states = new Map<StateId, Coin>();
  for (const state of view.created) {
    const coin = readCoin(state);
    if (coin === undefined) return refused("false content");
    states.set(state.id, coin);
  }
  const spent = new Set<StateId>();
  const coinOf = (id: StateId): Coin | undefined =>
    spent.has(id) || holdings.isSpent(id)
      ? undefined
      : (states.get(id) ?? holdings.coin(id));
  const misplaced = findMisplaced(bundle, holdings);
  const faults: StepFault[] = [];
  for (const step of bundle.steps) {
    const { intentId, inputs, reads } = step;
    const detail =
      faultOf(step, coinOf, holdings) ??
      ([...inputs, ...reads].some((id) => misplaced.has(id))
        ? "not where the ledger keeps it"
        : undefined);
    if (detail !== undefined) {
      faults.push({ intentId, detail });
      continue;
    }
    for (const id of step.inputs) spent.add(id);
    for (const state of step.outputs) {
      const coin = readCoin(state);
      if (coin !== undefined) states.set(state.id, coin);
    }
  }
  const [first] = faults;
  if (first !== undefined) return refused(first.detail, faults);
  return { type: "endorsed", signature: sign(request.endorser, digest) };
}

/** States that the bundle takes from outside whose place is missing, or is not where this node sees it. */
function findMisplaced(
  { steps, places }: Bundle,
  holdings: Holdings,
): ReadonlySet<StateId> {
  const placed = new Map(places.map(({ id, place }) => [id, place]));
  const { inputs, reads } = netOf(steps);
  const misplaced = [...inputs, ...reads].filter((id) => {
    const place = placed.get(id);
    return place === undefined || place !== (holdings.placeOf(id) ?? place);
  });
  return new Set(misplaced);
}

function refused(
  detail: string,
  faults: readonly StepFault[] = [],
): EndorseOutcome {
  return { type: "refused", detail, faults };
}

/** Why a step cannot be, or undefined if it can. */
function faultOf(
  step: Step,
  coinOf: (id: StateId) => Coin | undefined,
  holdings: Holdings,
): string | undefined {
  if (!isSigned(step.signature, step.sender, stepHash(step)))
    return "not signed by its sender";
  if (holdings.isFulfilled(step.intentId)) return "already fulfilled";
  if (new Set(step.inputs).size !== step.inputs.length) return "spent twice";
  let balance = 0;
  for (const id of step.inputs) {
    const coin = coinOf(id);
    if (coin === undefined) return "input not available";
    balance += coin.amount;
  }
  for (const id of step.reads)
    if (coinOf(id) === undefined) return "read not available";
  for (const [index, state] of step.outputs.entries()) {
    const coin = readCoin(state);
    if (coin === undefined) return "false output";
    const { content } = state;
    const { intentId } = step;
    if (state.id !== stateIdOf({ intentId, index, content }))
      return "output of another step";
    balance -= coin.amount;
  }
  return balance === 0 ? undefined : "creates or destroys money";
}
