import type { Place, StateId } from "../ids.ts";
import { netOf } from "../net.ts";
import { outlineOf } from "../outline.ts";
import { recall, remember } from "../recent.ts";
import type { Bundle, PlacedState, Step } from "../transition.ts";
import type { Turn } from "../turn.ts";
import type { Coordinator } from "./model.ts";
import { tellTransaction } from "./tell.ts";

/**
 * Makes a bundle of steps, and remembers where the ledger will keep what it creates. Undefined if a step spends what
 * nobody knows the place of: then that step is assembled again, and the others wait for the next bundle.
 */
export function seal(turn: Turn, steps: readonly Step[]): Bundle | undefined {
  const { coordinator, config, height } = turn.node;
  const places = collectPlaces(turn, steps);
  if (places === undefined) return undefined;
  const validUntil = steps.reduce(
    (least, step) => Math.min(least, step.validUntil),
    height + config.validForBlocks,
  );
  const unsealed = { steps, places, validUntil };
  const outline = outlineOf(config.hashing, unsealed);
  rememberPlaces(coordinator, config.hashing.placesOf(outline));
  return { ...unsealed, digest: config.hashing.bundleDigest(outline) };
}

function collectPlaces(
  turn: Turn,
  steps: readonly Step[],
): PlacedState[] | undefined {
  const { coordinator } = turn.node;
  const { inputs, reads } = netOf(steps);
  const known = placesKnown(coordinator, steps);
  const places: PlacedState[] = [];
  const lost = new Set<StateId>();
  for (const id of new Set([...inputs, ...reads])) {
    const place = known(id);
    if (place === undefined) lost.add(id);
    else places.push({ id, place });
  }
  if (lost.size === 0) return places;
  for (const { intentId, inputs: spent, reads: read } of steps) {
    const transaction = coordinator.transactions.get(intentId);
    if (transaction === undefined) continue;
    if ([...spent, ...read].some((id) => lost.has(id)))
      tellTransaction(turn, transaction, {
        type: "EndorsedRejected",
        detail: "nobody knows where its inputs are",
      });
  }
  // Whatever did not fall, or was built on what fell, keeps its place in the order.
  const good = steps.flatMap(({ intentId }) =>
    coordinator.transactions.get(intentId)?.step === undefined
      ? []
      : [intentId],
  );
  coordinator.assembled = new Set([...good, ...coordinator.assembled]);
  return undefined;
}

/**
 * What is in flight is where this coordinator put it. Everything else is where the sender found it, or, for a step that
 * was assembled while it was in flight, where it was put then.
 */
function placesKnown(
  { transactions, places }: Coordinator,
  steps: readonly Step[],
): (id: StateId) => Place | undefined {
  const inFlight = new Set<StateId>();
  const found = new Map<StateId, Place>();
  for (const step of steps) {
    for (const producer of transactions.get(step.intentId)?.builtOn ?? [])
      for (const { id } of transactions.get(producer)?.step?.outputs ?? [])
        inFlight.add(id);
    for (const { id, place } of step.found) found.set(id, place);
  }
  return (id) =>
    inFlight.has(id)
      ? recall(places, id)
      : (found.get(id) ?? recall(places, id));
}

/** A dispatched bundle is known again after a restart, or a bundle was made. */
export function rememberPlaces(
  coordinator: Coordinator,
  places: readonly PlacedState[],
): void {
  for (const { id, place } of places) remember(coordinator.places, id, place);
}

/** Takes over where the predecessor's transitions put what they create. What this node puts itself, it knows better. */
export function importPlaces(
  { imported, created, places }: Coordinator,
  context: readonly PlacedState[],
): void {
  for (const { id, place } of context)
    if (imported.has(id) && created.get(id)?.by === undefined)
      remember(places, id, place);
}

/** Where the ledger will keep what is in flight. */
export function placesOfContext({
  created,
  places,
}: Coordinator): PlacedState[] {
  const placed: PlacedState[] = [];
  for (const id of created.keys()) {
    const place = recall(places, id);
    if (place !== undefined) placed.push({ id, place });
  }
  return placed;
}
