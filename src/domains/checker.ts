import { requireWellFormed } from "../ledger/index.ts";
import type { Hashing } from "../protocol/config.ts";
import type { IntentId, NodeName, StateId, StepHash } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import type { StepFault } from "../protocol/messages.ts";
import { netOf } from "../protocol/net.ts";
import { outlineOf } from "../protocol/outline.ts";
import type {
  Bundle,
  SpeculativeView,
  State,
  Step,
} from "../protocol/transition.ts";
import {
  executeGasWorst,
  TRANSACTION_GAS_MAX,
} from "../chain/submitter/gas.ts";
import { transitionOf } from "./states/arrange.ts";
import type { StateBook } from "./states/book.ts";
import { readState } from "./states/content.ts";
import { Overlay } from "./states/overlay.ts";
import { ledgerIdOf } from "./states/place.ts";
import { type Deadline, endless } from "./deadline.ts";
import type { Domain, DomainGroup, DomainState } from "./domain.ts";
import { DomainNonsense, kindOf } from "./read-assembly.ts";

/** What a node checks with. */
export interface CheckerPorts {
  readonly domain: Domain;
  readonly group: DomainGroup;
  readonly book: StateBook;
  readonly hashing: Pick<Hashing, "stepHash">;
  readonly epoch: bigint;
  /** Whether the ledger makes calls for this group. */
  readonly allowsCalls: boolean;
  /** Signatures that the ledger takes for this group. */
  readonly membersCount: number;
  readonly isFulfilled: (id: IntentId) => boolean;
  /** How long the domain may take for the whole bundle; as long as it wants, unless told. */
  readonly deadline?: Deadline;
  /** The domain failed. */
  readonly onError?: (method: "endorse", error: unknown) => void;
  /** Whether that node signed the hash of a step. */
  readonly isSignedBy: (
    sender: NodeName,
    hash: StepHash,
    signature: string,
  ) => boolean | Promise<boolean>;
}

/** Why a bundle cannot be endorsed, and all steps to blame. */
export interface Fault {
  readonly detail: string;
  readonly faults: readonly StepFault[];
}

/**
 * Checks a bundle step by step, as if this node had to answer for it: it has to. Every step is checked on top of the good
 * ones before it, so that one check finds all that are at fault.
 */
export async function findFault(
  { bundle, view }: { readonly bundle: Bundle; readonly view: SpeculativeView },
  ports: CheckerPorts,
): Promise<Fault | undefined> {
  const overlay = new Overlay(ports.book, view);
  const misplaced = findMisplaced(bundle, ports.book);
  const faults: StepFault[] = [];
  for (const step of bundle.steps) {
    const { intentId, inputs, reads, outputs } = step;
    const detail =
      (await findFaultOfStep(step, overlay, ports)) ??
      (misplaced.size > 0 &&
      [...inputs, ...reads].some((id) => misplaced.has(id))
        ? "the ledger keeps it elsewhere"
        : undefined);
    if (detail === undefined) overlay.apply(inputs, outputs);
    else faults.push({ intentId, detail: detail.slice(0, limits.reasonBytes) });
    // Nobody waits for the others any more: the one that took so long is told.
    if (ports.deadline?.isOver() === true) break;
  }
  const [first] = faults;
  return first === undefined
    ? findFaultOfTransition(bundle, ports)
    : { detail: first.detail, faults };
}

async function findFaultOfStep(
  step: Step,
  overlay: Overlay,
  ports: CheckerPorts,
): Promise<string | undefined> {
  const { domain, group, hashing, allowsCalls, isFulfilled } = ports;
  const { intentId, sender, payload } = step;
  const hash = hashing.stepHash(step);
  const isSigned = ports.isSignedBy(sender, hash, step.signature);
  // Most answers are there already, and to wait for them would cost more than to look at them.
  if (!(isSigned === true || (await isSigned)))
    return "its sender did not sign it";
  if (isFulfilled(intentId)) return "the intent is fulfilled";
  if (step.inputs.length > 1 && new Set(step.inputs).size < step.inputs.length)
    return "spent twice";
  const inputs = resolve(step.inputs, overlay);
  const reads = resolve(step.reads, overlay);
  if (inputs === undefined || reads === undefined)
    return "a state that is not there";
  const outputs = readCreated(step.outputs, { intentId, firstIndex: 0 });
  const firstIndex = step.outputs.length;
  const infos = readCreated(step.infos, { intentId, firstIndex });
  if (outputs === undefined || infos === undefined)
    return "an output of another step";
  if (step.calls.length > 0 && !allowsCalls)
    return "a public call, which this group does not allow";
  const { deadline = endless, onError } = ports;
  try {
    const asked = domain.endorse({
      group,
      intentId,
      sender,
      payload,
      inputs,
      reads,
      outputs,
      infos,
      calls: step.calls,
    });
    // What is there already need not be waited for.
    const fault: unknown =
      typeof asked === "object" ? await deadline.within(asked) : asked;
    if (fault === undefined || typeof fault === "string") return fault;
    throw new DomainNonsense(
      `endorse must give text or undefined, but gives ${kindOf(fault)}.`,
    );
  } catch (error) {
    onError?.("endorse", error);
    return error instanceof Error ? error.message : "the domain failed";
  }
}

function resolve(
  ids: readonly StateId[],
  overlay: Overlay,
): DomainState[] | undefined {
  const states: DomainState[] = [];
  for (const id of ids) {
    const state = overlay.get(id);
    if (state === undefined) return undefined;
    states.push(state);
  }
  return states;
}

/** What outputs say about their origin is true, so that nobody creates the same state twice. */
function readCreated(
  created: readonly State[],
  origin: { readonly intentId: IntentId; readonly firstIndex: number },
): DomainState[] | undefined {
  const states: DomainState[] = [];
  let index = origin.firstIndex;
  for (const one of created) {
    const state = readState(one);
    if (state?.intentId !== origin.intentId || state.index !== index)
      return undefined;
    states.push(state);
    index += 1;
  }
  return states;
}

/** States from outside whose place makes no sense, or is not where this node sees it. */
function findMisplaced(
  { steps, places }: Bundle,
  book: StateBook,
): ReadonlySet<StateId> {
  const placed = new Map(places.map(({ id, place }) => [id, place]));
  const { inputs, reads } = netOf(steps);
  const misplaced = [...inputs, ...reads].filter((id) => {
    const place = placed.get(id);
    const ledgerId = place === undefined ? undefined : ledgerIdOf(id, place);
    return (
      ledgerId === undefined || ledgerId !== (book.ledgerIdOf(id) ?? ledgerId)
    );
  });
  return new Set(misplaced);
}

function findFaultOfTransition(
  bundle: Bundle,
  { epoch, membersCount, hashing }: CheckerPorts,
): Fault | undefined {
  try {
    const outline = outlineOf(hashing, bundle);
    const transition = transitionOf(outline, epoch);
    requireWellFormed(transition, membersCount);
    const gas = executeGasWorst(transition, membersCount);
    if (gas <= TRANSACTION_GAS_MAX) return undefined;
    const [first, second] = bundle.steps;
    const detail = `it may need ${gas} gas, and a transaction may have ${TRANSACTION_GAS_MAX} (EIP-7825)`;
    const isAlone = first !== undefined && second === undefined;
    return {
      detail,
      faults: isAlone ? [{ intentId: first.intentId, detail }] : [],
    };
  } catch (error) {
    const detail = error instanceof Error ? error.message : "not well-formed";
    return { detail, faults: [] };
  }
}
