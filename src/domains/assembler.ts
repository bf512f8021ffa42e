import type { Hashing } from "../protocol/config.ts";
import type { IntentId, NodeName, StepHash } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import type { AssembleOutcome } from "../protocol/messages.ts";
import { lengthOf } from "../protocol/size.ts";
import type {
  Intent,
  SpeculativeView,
  State,
  Step,
} from "../protocol/transition.ts";
import { withSignature } from "./states/arrange.ts";
import type { StateBook } from "./states/book.ts";
import {
  createState,
  newSalt as randomSalt,
  readState,
} from "./states/content.ts";
import { Overlay } from "./states/overlay.ts";
import { type Deadline, DomainSilence, endless } from "./deadline.ts";
import type {
  Assembly,
  Domain,
  DomainGroup,
  NewState,
  StateView,
} from "./domain.ts";
import { findExcess } from "./find-excess.ts";
import { DomainNonsense, readAssembly } from "./read-assembly.ts";

/** What a node assembles with. */
export interface AssemblerPorts {
  readonly domain: Domain;
  readonly group: DomainGroup;
  readonly book: StateBook;
  readonly hashing: Pick<Hashing, "stepHash">;
  /** Signs hashes of steps as the node that sends the intents. */
  readonly signSteps: (hashes: readonly StepHash[]) => readonly string[];
  /** How long the domain may take for all of them; as long as it wants, unless told. */
  readonly deadline?: Deadline;
  /** Whether an intent about which the domain was silent is tried again as if nothing had happened. */
  readonly isPatient?: (id: IntentId) => boolean;
  /** The domain failed. */
  readonly onError?: (method: "assemble", error: unknown) => void;
  /** Where salts come from, if not from chance. */
  readonly newSalt?: () => string;
}

/** What comes of one try. */
type Attempt =
  | { readonly type: "assembled"; readonly step: Step }
  | {
      readonly type: "reverted" | "parked" | "error";
      readonly reason: string;
    }
  | { readonly type: "silent"; readonly reason: string };

/**
 * Assembles intents in order, each on top of the ones before. Those for which there is no room or no time have no outcome: they
 * come with another answer.
 */
export async function assemble(
  request: {
    readonly sender: NodeName;
    readonly intents: readonly Intent[];
    readonly view: SpeculativeView;
    /** The last block in which the steps can happen. */
    readonly validUntil: number;
  },
  ports: AssemblerPorts,
): Promise<AssembleOutcome[]> {
  const overlay = new Overlay(ports.book, request.view);
  const outcomes: AssembleOutcome[] = [];
  const deadline = ports.deadline ?? endless;
  let length = 0;
  for (const intent of request.intents) {
    if (length >= limits.assemblyLength || deadline.isOver()) break;
    const outcome = await assembleOne(intent, request, overlay, {
      ...ports,
      deadline,
    });
    if (outcome === undefined) continue;
    if (outcome.type === "assembled") length += lengthOf(outcome.step);
    outcomes.push(outcome);
  }
  deadline.end();
  return signAll(outcomes, ports);
}

/** All that is assembled together is signed together. */
function signAll(
  outcomes: readonly AssembleOutcome[],
  { signSteps, hashing }: AssemblerPorts,
): AssembleOutcome[] {
  const steps = outcomes.flatMap((outcome) =>
    outcome.type === "assembled" ? [outcome.step] : [],
  );
  const signatures = signSteps(steps.map(hashing.stepHash));
  const signed = new Map(steps.map((step, i) => [step, signatures[i] ?? ""]));
  return outcomes.map((outcome) => {
    if (outcome.type !== "assembled") return outcome;
    const signature = signed.get(outcome.step) ?? "";
    return { ...outcome, step: withSignature(outcome.step, signature) };
  });
}

async function assembleOne(
  intent: Intent,
  request: { readonly sender: NodeName; readonly validUntil: number },
  overlay: Overlay,
  ports: AssemblerPorts & { readonly deadline: Deadline },
): Promise<AssembleOutcome | undefined> {
  const { id } = intent;
  const inFlight = await attempt(intent, request, overlay, ports);
  if (inFlight === undefined) return undefined;
  if (inFlight.type === "assembled")
    overlay.apply(inFlight.step.inputs, inFlight.step.outputs);
  if (inFlight.type === "assembled" || inFlight.type === "parked")
    return { ...inFlight, id };
  // A domain that has used up the time is not asked again.
  if (inFlight.type === "silent")
    return { type: "error", id, reason: inFlight.reason };
  const onLedger = await attempt(intent, request, ports.book, ports);
  return onLedger && judge(id, inFlight.reason, onLedger);
}

/** It had too little time because of others, or is slow for the first time. */
function isSkipped(
  id: IntentId,
  { isOwn }: DomainSilence,
  { isPatient }: AssemblerPorts,
): boolean {
  return !isOwn || isPatient?.(id) === true;
}

/** What an intent comes to in a view; undefined if there was not enough time to say. */
async function attempt(
  intent: Intent,
  {
    sender,
    validUntil,
  }: { readonly sender: NodeName; readonly validUntil: number },
  view: StateView,
  ports: AssemblerPorts & { readonly deadline: Deadline },
): Promise<Attempt | undefined> {
  const { domain, group, deadline, onError } = ports;
  const { id, payload } = intent;
  try {
    const assembly = readAssembly(
      await deadline.within(
        domain.assemble({ group, id, sender, payload }, view),
      ),
    );
    if (assembly.type !== "assembled") return assembly;
    const step = stepOf(intent, assembly, { sender, validUntil }, ports);
    const reason = findExcess(step);
    return reason === undefined
      ? { type: "assembled", step }
      : { type: "reverted", reason };
  } catch (error) {
    const isSilent = error instanceof DomainSilence;
    if (isSilent && isSkipped(id, error, ports)) return undefined;
    onError?.("assemble", error);
    const said = error instanceof Error ? error.message : "unknown";
    const reason = `The domain failed: ${said}`.slice(0, limits.reasonBytes);
    return { type: isSilent ? "silent" : "error", reason };
  }
}

function stepOf(
  { id, laneSalt, payload }: Intent,
  assembly: Extract<Assembly, { readonly type: "assembled" }>,
  {
    sender,
    validUntil,
  }: { readonly sender: NodeName; readonly validUntil: number },
  { book, newSalt = randomSalt }: AssemblerPorts,
): Step {
  const { inputs, reads, infos = [], calls = [] } = assembly;
  const create = (state: NewState, index: number): State => {
    const created = createState(state, { intentId: id, index }, newSalt());
    if (readState(created) === undefined)
      throw new DomainNonsense(`The data of state ${index} is not JSON.`);
    return created;
  };
  const outputs = assembly.outputs.map(create);
  return {
    intentId: id,
    laneSalt,
    sender,
    payload,
    inputs,
    reads,
    outputs,
    infos: infos.map((state, index) => create(state, outputs.length + index)),
    calls: calls.map(({ target, data, gasMin }) => ({
      target: target.toLowerCase(),
      data: data.toLowerCase(),
      gasMin,
    })),
    found: [...inputs, ...reads].flatMap((used) => {
      const place = book.placeOf(used);
      return place === undefined ? [] : [{ id: used, place }];
    }),
    validUntil,
    salt: newSalt(),
    signature: "",
  };
}

/** A failure costs retries, and what is in flight is only the coordinator's word: the ledger alone has the last one. */
function judge(
  id: IntentId,
  reason: string,
  onLedger: Attempt,
): AssembleOutcome {
  if (onLedger.type === "assembled") return { type: "postponed", id, reason };
  const type = onLedger.type === "silent" ? "error" : onLedger.type;
  return { type, id, reason: onLedger.reason };
}
