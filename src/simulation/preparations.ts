import type { IntentId, NodeName, StateId } from "../protocol/ids.ts";
import type { Message, MessageOf } from "../protocol/messages.ts";
import type { IntentRecord } from "../protocol/records.ts";
import type { Bundle } from "../protocol/transition.ts";
import { violation } from "./violation.ts";

/** S40: what is only to be prepared is its user's alone, and is never on its way to the ledger. */
export class Preparations {
  readonly #prepareOnly: ReadonlySet<IntentId>;
  /** Members that lie: what they do binds nobody. */
  readonly #liars: ReadonlySet<NodeName>;
  /** States that they say are in flight. */
  readonly #rumours: ReadonlySet<StateId>;
  readonly #isFulfilled: (id: IntentId) => boolean;
  /** States that would be there if what is only prepared happened. */
  readonly #hypothetical = new Map<StateId, IntentId>();

  constructor(
    options: {
      readonly prepareOnly: ReadonlySet<IntentId>;
      readonly liars: ReadonlySet<NodeName>;
      readonly rumours: ReadonlySet<StateId>;
    },
    ports: { readonly isFulfilled: (id: IntentId) => boolean },
  ) {
    this.#prepareOnly = options.prepareOnly;
    this.#liars = options.liars;
    this.#rumours = options.rumours;
    this.#isFulfilled = ports.isFulfilled;
  }

  /** What a user gets is what he asked for, by itself. */
  check({
    intent: { id },
    prepared,
  }: IntentRecord): NonNullable<IntentRecord["prepared"]> {
    if (prepared === undefined || !this.#prepareOnly.has(id))
      throw violation("S40", id, "prepared, though nobody asked for that");
    const { steps } = prepared.bundle;
    if (steps.length !== 1 || steps[0]?.intentId !== id)
      throw violation("S40", id, "prepared together with something else");
    return prepared;
  }

  /** A message that is about to be sent. */
  sending(
    { from, to }: { readonly from: NodeName; readonly to: NodeName },
    message: Message,
    isChainShaken: boolean,
  ): void {
    if (message.type === "EndorsementRequest") {
      if (message.bundle.steps.length > 1)
        this.checkDispatchable(message.bundle, "is bundled");
      if (!isChainShaken) this.#checkFoundations(message.bundle);
    } else if (message.type === "AssembleRequest") {
      const ids = this.#liars.has(to) ? [] : message.ids;
      const alone = ids.find((id) => this.#prepareOnly.has(id));
      if (alone !== undefined && ids.length > 1)
        throw violation("S40", alone, "is assembled together with others");
    } else if (message.type === "AssembleResponse") {
      // What a liar delegates need not be what its user asked for.
      if (this.#liars.has(from)) return;
      for (const outcome of message.outcomes)
        if (outcome.type === "assembled" && this.#prepareOnly.has(outcome.id))
          for (const { id } of outcome.step.outputs)
            this.#hypothetical.set(id, outcome.id);
    } else if (message.type === "DispatchPermissionRequest")
      this.#checkAskable(message, to);
    else if (message.type === "DispatchPermission") {
      const id = message.ids.find((asked) => this.#prepareOnly.has(asked));
      if (id !== undefined) throw violation("S40", id, "may be dispatched");
    }
  }

  /** Nothing in it is only to be prepared. */
  checkDispatchable({ steps }: Bundle, what: string): void {
    for (const { intentId, sender } of steps)
      if (this.#prepareOnly.has(intentId) && !this.#liars.has(sender))
        throw violation("S40", intentId, what);
  }

  /** Nobody is asked whether what is only to be prepared may be dispatched. */
  #checkAskable(
    { ids }: MessageOf<"DispatchPermissionRequest">,
    to: NodeName,
  ): void {
    const id = ids.find((asked) => this.#prepareOnly.has(asked));
    if (id !== undefined && !this.#liars.has(to))
      throw violation("S40", id, "is to be dispatched");
  }

  /** Nothing is built on what is only prepared, unless somebody has executed it. */
  #checkFoundations({ steps }: Bundle): void {
    for (const { intentId, sender, inputs, reads } of steps) {
      if (this.#liars.has(sender)) continue;
      for (const id of [...inputs, ...reads]) {
        const producer = this.#hypothetical.get(id);
        if (
          producer !== undefined &&
          !this.#rumours.has(id) &&
          !this.#isFulfilled(producer)
        )
          throw violation("S40", intentId, "builds on what is only prepared");
      }
    }
  }
}
