import type { Hashing } from "../../protocol/config.ts";
import type { IntentId, NodeName, StepHash } from "../../protocol/ids.ts";
import { limits } from "../../protocol/limits.ts";
import type { AssembleOutcome } from "../../protocol/messages.ts";
import { lengthOf } from "../../protocol/size.ts";
import type {
  Intent,
  SpeculativeView,
  Step,
} from "../../protocol/transition.ts";
import { withSignature } from "../states/arrange.ts";
import type { StateBook } from "../states/book.ts";
import { createState, newSalt as randomSalt } from "../states/content.ts";
import { Overlay } from "../states/overlay.ts";
import type { Assembly, Domain, DomainGroup, PublicCall } from "./domain.ts";

/** What a node assembles with. */
export interface AssemblerPorts {
  readonly domain: Domain;
  readonly group: DomainGroup;
  readonly book: StateBook;
  readonly hashing: Pick<Hashing, "stepHash">;
  /** Signs hashes of steps as the node that sends the intents. */
  readonly signSteps: (hashes: readonly StepHash[]) => readonly string[];
  /** Where salts come from, if not from chance. */
  readonly newSalt?: () => string;
}

/** Assembles intents in order, each on top of the ones before. */
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
  let length = 0;
  for (const intent of request.intents) {
    if (length >= limits.assemblyLength) {
      const reason = "The answer is full. It comes with another one.";
      outcomes.push({ type: "error", id: intent.id, reason });
      continue;
    }
    const outcome = await assembleOne(intent, request, overlay, ports);
    if (outcome.type === "assembled") length += lengthOf(outcome.step);
    outcomes.push(outcome);
  }
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
  { id, laneSalt, payload }: Intent,
  {
    sender,
    validUntil,
  }: { readonly sender: NodeName; readonly validUntil: number },
  overlay: Overlay,
  { domain, group, book, newSalt = randomSalt }: AssemblerPorts,
): Promise<AssembleOutcome> {
  const intent = { group, id, sender, payload };
  let assembly: Assembly;
  try {
    assembly = bounded(await domain.assemble(intent, overlay));
    if (assembly.type === "reverted") {
      const onLedger = bounded(await domain.assemble(intent, book));
      return judge(id, assembly.reason, onLedger);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    return { type: "error", id, reason: `The domain failed: ${reason}` };
  }
  if (assembly.type !== "assembled")
    return { type: assembly.type, id, reason: assembly.reason };
  const { inputs, reads, infos = [], calls = [] } = assembly;
  const outputs = assembly.outputs.map((state, index) =>
    createState(state, { intentId: id, index }, newSalt()),
  );
  overlay.apply(inputs, outputs);
  const step: Step = {
    intentId: id,
    laneSalt,
    sender,
    payload,
    inputs,
    reads,
    outputs,
    infos: infos.map((state, index) =>
      createState(
        state,
        { intentId: id, index: outputs.length + index },
        newSalt(),
      ),
    ),
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
  return { type: "assembled", id, step };
}

/** A step whose calls do not fit one transaction can never happen. */
function bounded(assembly: Assembly): Assembly {
  if (assembly.type !== "assembled") return assembly;
  const reason = findExcess(assembly.calls ?? []);
  return reason === undefined ? assembly : { type: "reverted", reason };
}

/** Why the calls of a step do not fit one transaction of the ledger; undefined if they do. */
function findExcess(calls: readonly PublicCall[]): string | undefined {
  const gas = calls.reduce((sum, { gasMin }) => sum + gasMin, 0);
  if (gas > limits.callsGas)
    return `Its public calls ask for ${gas} gas, and ${limits.callsGas} is the most that fits a transaction. Call less at a time.`;
  const digits = calls.reduce((sum, { data }) => sum + data.length - 2, 0);
  if (digits > limits.callsDigits)
    return `Its public calls carry ${digits / 2} bytes, and ${limits.callsDigits / 2} is the most that fits a transaction. Call less at a time.`;
  return undefined;
}

/** A revert is final, and what is in flight is only the coordinator's word: the ledger alone has the last one. */
function judge(
  id: IntentId,
  reason: string,
  onLedger: Assembly,
): AssembleOutcome {
  return onLedger.type === "assembled"
    ? { type: "postponed", id, reason }
    : { type: onLedger.type, id, reason: onLedger.reason };
}
