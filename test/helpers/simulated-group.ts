import {
  parseNodeName,
  type NodeName,
  type RequestKey,
} from "../../src/protocol/ids.ts";
import type {
  AssembleOutcome,
  MessageOf,
} from "../../src/protocol/messages.ts";
import { digestOf, outlineOf } from "../../src/protocol/outline.ts";
import type {
  Bundle,
  Endorsement,
  Intent,
  SpeculativeView,
  Step,
} from "../../src/protocol/transition.ts";
import { type Coin, Holdings, readCoin } from "../../src/simulation/coins.ts";
import { assemble } from "../../src/simulation/domain.ts";
import {
  genesisPlace,
  hashing,
  intentIdOf,
  sign,
} from "../../src/simulation/hashing.ts";
import { Random } from "../../src/simulation/random.ts";
import type { ExecutedTransition } from "../../src/simulation/transition.ts";
import { drawGenesis } from "../../src/simulation/workload.ts";

/** A node's name. */
export function nodeNamed(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is no name of a node`);
  return parsed;
}

export const alice = nodeNamed("alice");
export const bob = nodeNamed("bob");
export const carol = nodeNamed("carol");
export const group = {
  committee: [alice, bob, carol],
  threshold: 2,
  hashing,
};
export const emptyView: SpeculativeView = { created: [], spent: [] };
export const genesis: readonly Coin[] = drawGenesis(new Random(1));

/** A view of the ledger as it is in the beginning. */
export function holdingsAtGenesis(): Holdings {
  const holdings = new Holdings();
  for (const coin of genesis) holdings.create(coin, genesisPlace);
  return holdings;
}

/** Takes a transition into a view of the ledger. */
export function apply(holdings: Holdings, net: ExecutedTransition): void {
  for (const id of net.intents) holdings.fulfil(id);
  for (const id of net.inputs) holdings.spend(id);
  for (const [at, state] of net.outputs.entries()) {
    const coin = readCoin(state);
    const place = net.put[at]?.place;
    if (coin !== undefined && place !== undefined) holdings.create(coin, place);
  }
}

/** An intent with this payload. */
export function intent(number: number, payload: string): Intent {
  return {
    id: intentIdOf(1, number),
    laneSalt: "",
    payload,
    dependsOn: [],
    touches: undefined,
    isPrepareOnly: false,
  };
}

/** What the domain makes of payloads, one on top of the other. */
export function outcomesOf(
  payloads: readonly string[],
  holdings: Holdings = holdingsAtGenesis(),
  first = 0,
): AssembleOutcome[] {
  return assemble({
    sender: alice,
    intents: payloads.map((payload, i) => intent(first + i, payload)),
    view: emptyView,
    validUntil: 1_000,
    holdings,
    parked: new Set(),
  });
}

/** A step that does nothing, but for what is said. */
export function aStep(
  step: Partial<Step> & Pick<Step, "intentId" | "sender">,
): Step {
  return {
    laneSalt: "",
    payload: "",
    inputs: [],
    reads: [],
    outputs: [],
    infos: [],
    calls: [],
    found: [],
    validUntil: 1_000,
    salt: "",
    signature: "signed",
    ...step,
  };
}

/** Steps for payloads; those that cannot be done are left out. */
export function stepsOf(
  payloads: readonly string[],
  holdings?: Holdings,
  first?: number,
): Step[] {
  return outcomesOf(payloads, holdings, first).flatMap((outcome) =>
    outcome.type === "assembled" ? [outcome.step] : [],
  );
}

/** The bundle of some steps. */
export function bundleOf(steps: readonly Step[], validUntil = 100): Bundle {
  const places = new Map(
    steps.flatMap(({ found }) => found.map(({ id, place }) => [id, place])),
  );
  const unsealed = {
    steps,
    places: [...places].map(([id, place]) => ({ id, place })),
    validUntil,
  };
  return { ...unsealed, digest: digestOf(hashing, unsealed) };
}

/** The question whether a bundle may be dispatched, to the sender of all its steps. */
export function permissionRequest(
  key: RequestKey,
  bundle: Bundle,
): MessageOf<"DispatchPermissionRequest"> {
  return {
    type: "DispatchPermissionRequest",
    key,
    ids: bundle.steps.map(({ intentId }) => intentId),
    bundle: outlineOf(hashing, bundle),
  };
}

/** Good endorsements. */
export function endorsementsOf(
  { digest }: Bundle,
  endorsers: readonly NodeName[] = [alice, bob],
): Endorsement[] {
  return endorsers.map((endorser) => ({
    endorser,
    digest,
    signature: sign(endorser, digest),
  }));
}
