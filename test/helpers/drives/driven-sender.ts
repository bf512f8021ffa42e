import type { AssembleOutcome, Stage } from "../../../src/protocol/messages.ts";
import type { IntentRecord } from "../../../src/protocol/records.ts";
import { outlineOf } from "../../../src/protocol/outline.ts";
import type { Bundle, Intent, Step } from "../../../src/protocol/transition.ts";
import { hashing } from "../../../src/simulation/hashing.ts";
import { block, heartbeat, submission } from "../letters.ts";
import { keyOf, LoneNode, rank } from "../lone-node.ts";
import {
  aStep,
  bundleOf,
  emptyView,
  intent,
  permissionRequest,
} from "../simulated-group.ts";
import type { Trace } from "./drive.ts";

export const self = rank(1);
export const coordinator = rank(0);

/** The last block of its permissions. */
export const validUntil = 10;

/** A sender with one transaction, which a coordinator takes from state to state. */
export class Sender {
  readonly wish: Intent;
  readonly node: LoneNode;
  #requests = 0;

  constructor(
    trace: Trace,
    {
      retriesMax = 5,
      wish = intent(1, ""),
      records = [],
    }: {
      readonly retriesMax?: number | undefined;
      readonly wish?: Intent;
      readonly records?: readonly IntentRecord[];
    } = {},
  ) {
    this.wish = wish;
    this.node = new LoneNode({ self, retriesMax }, { records }, trace);
  }

  #step(): Step {
    return aStep({ intentId: this.wish.id, sender: self, validUntil });
  }

  #bundleUntil(until: number): Bundle {
    return bundleOf([this.#step()], until);
  }

  /** Submits something that occupies the way to the coordinator. Returns the key of its delegation. */
  occupy(): ReturnType<typeof keyOf> {
    const other = submission(intent(2, ""));
    const [request] = this.node.tell(other).sent("DelegationRequest");
    return request?.key ?? keyOf("none");
  }

  /** The coordinator has it; what it depends on is confirmed. */
  delegated(): this {
    const [request] = this.node
      .tell(submission(this.wish, this.wish.dependsOn))
      .sent("DelegationRequest");
    const key = request?.key ?? keyOf("none");
    const ids = [this.wish.id];
    const accepted = {
      type: "DelegationAccepted",
      key,
      ids,
      height: 0,
    } as const;
    this.node.hear(coordinator, accepted);
    return this;
  }

  assembling(): this {
    this.#requests += 1;
    const key = keyOf(`assembly:${this.#requests}`);
    const ids = [this.wish.id];
    const view = emptyView;
    const request = {
      type: "AssembleRequest",
      key,
      ids,
      height: 0,
      view,
    } as const;
    this.node.hear(coordinator, request);
    return this;
  }

  answer(...outcomes: readonly AssembleOutcome[]): this {
    const key = keyOf(`assembly:${this.#requests}`);
    this.node.tell({ type: "AssemblyDone", key, outcomes });
    return this;
  }

  gathering(): this {
    const { id } = this.wish;
    return this.assembling().answer({
      type: "assembled",
      id,
      step: this.#step(),
    });
  }

  parked(): this {
    const { id } = this.wish;
    return this.assembling().answer({
      type: "parked",
      id,
      reason: "not ready",
    });
  }

  permitted(until = validUntil): this {
    const key = keyOf("permission");
    const bundle = this.#bundleUntil(until);
    this.node.hear(coordinator, permissionRequest(key, bundle));
    return this;
  }

  /** The coordinator gives it back, and gets it again. The permission is still live. */
  returned(): this {
    const ids = [this.wish.id];
    this.node.hear(coordinator, { type: "DelegationReturned", ids, height: 0 });
    return this;
  }

  dispatched(): this {
    const { digest } = this.#bundleUntil(validUntil);
    const ids = [this.wish.id];
    this.node.hear(coordinator, { type: "Dispatched", digest, ids });
    return this;
  }

  stage(stage: Stage): this {
    const transactions = [{ id: this.wish.id, stage }];
    this.node.hear(coordinator, heartbeat("Active", { transactions }));
    return this;
  }

  failed(until = validUntil): this {
    const { digest } = this.#bundleUntil(until);
    const ids = [this.wish.id];
    const failure = { type: "TransactionReverted", digest, ids } as const;
    this.node.hear(coordinator, { ...failure, reason: "reverted" });
    return this;
  }

  /** Endorsers do not sign what it assembled last. */
  refused(): this {
    const key = keyOf(`assembly:${this.#requests}`);
    const { id } = this.wish;
    const refusal = { type: "TransactionRefused", key, id } as const;
    this.node.hear(coordinator, { ...refusal, reason: "refused" });
    return this;
  }

  /** The ledger has what it permitted. */
  confirmed(): this {
    const bundle = this.#bundleUntil(validUntil);
    this.node.tell(block(1, [this.wish.id], bundle));
    return this;
  }

  /** The ledger has it in a bundle that it has not seen: with its own step, or with that of another node. */
  fulfilledIn(kind: "own" | "foreign"): Bundle {
    const sender = kind === "own" ? self : rank(2);
    const bundle = bundleOf([{ ...this.#step(), sender }], validUntil - 1);
    this.node.tell(block(1, [this.wish.id], bundle));
    return bundle;
  }

  /** Another member shows what is in that bundle. */
  proven(bundle: Bundle): this {
    const [step] = bundle.steps;
    if (step === undefined) throw new Error("The bundle is empty.");
    const outline = outlineOf(hashing, bundle);
    const type = "FulfilmentProof";
    this.node.hear(coordinator, { type, bundle: outline, step });
    return this;
  }

  expired(): this {
    for (let height = 1; height <= validUntil; height++)
      this.node.tell(block(height));
    return this;
  }

  /** The coordinator names another one that is at work. */
  sentElsewhere(): this {
    const key = this.occupy();
    this.node.hear(coordinator, {
      type: "DelegationRejected",
      key,
      ids: [],
      height: 0,
      reason: "not-coordinator",
      active: rank(2),
    });
    return this;
  }
}

/** An intent that has just arrived, as it is on disk. */
export function recordOf(wish: Intent): IntentRecord {
  return {
    kind: "intent",
    intent: wish,
    sequence: 0,
    retries: 0,
    parked: undefined,
    permission: undefined,
    permitted: [],
    liveUntil: 0,
    fulfilment: undefined,
    isDispatched: false,
    reason: undefined,
    isDoomed: false,
    prepared: undefined,
    receipt: undefined,
  };
}
