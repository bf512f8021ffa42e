import type { Policy } from "../../../src/protocol/config.ts";
import type { Effect } from "../../../src/protocol/effects.ts";
import type { Event, LedgerFact } from "../../../src/protocol/events.ts";
import {
  parseGroupAddress,
  parseNodeName,
  type NodeName,
} from "../../../src/protocol/ids.ts";
import { limits } from "../../../src/protocol/limits.ts";
import type { DispatchRecord } from "../../../src/protocol/records.ts";
import {
  createSequencer,
  handle,
  type Sequencer,
} from "../../../src/protocol/sequencer.ts";
import type { Intent } from "../../../src/protocol/transition.ts";
import { assemble, createHashing, Ledger, type Work } from "./domain.ts";

const none: readonly [] = [];
const ticksPerBlock = 10;
/** Blocks without a receipt after which the run is stuck. */
const patienceBlocks = 1_000;

interface Member {
  readonly name: NodeName;
  readonly sequencer: Sequencer;
}

interface Delivery {
  readonly to: Member;
  readonly event: Event;
}

/** The core of some nodes and nothing else: messages arrive at once and in order, nothing fails, nothing is checked. */
export class LeanNetwork {
  readonly #work: Work;
  readonly #members: readonly Member[];
  readonly #byName: ReadonlyMap<NodeName, Member>;
  readonly #ledger = new Ledger();
  readonly #onEvent: () => void;
  readonly #queue: (Delivery | undefined)[] = [];
  #submitted: { readonly by: Member; readonly dispatch: DispatchRecord }[] = [];
  #height = 0;
  #settled = 0;

  constructor(
    options: {
      readonly work: Work;
      readonly members: number;
      readonly policy: Policy;
    },
    /** Called before every event. */
    onEvent: () => void = () => undefined,
  ) {
    this.#work = options.work;
    this.#onEvent = onEvent;
    const committee = Array.from({ length: options.members }, (_, index) =>
      nodeNamed(`node${index}`),
    );
    const hashing = createHashing();
    this.#members = committee.map((self) => ({
      name: self,
      sequencer: createSequencer(
        {
          self,
          contract,
          members: committee,
          committee,
          mayKnow: () => true,
          threshold: Math.floor(options.members / 2) + 1,
          mode: "elected",
          pool: [],
          policy: options.policy,
          rangeSizeBlocks: 32,
          heartbeatTicks: ticksPerBlock,
          heartbeatGrace: 3,
          closingGrace: 2,
          requestTicks: 5,
          requestTicksMax: 50,
          retryTicks: 5,
          stateTicks: 50,
          suspicionTicks: 100,
          validForBlocks: 20,
          retriesMax: 10,
          bundleMax: limits.bundle,
          boot: 1,
          hashing,
        },
        { height: 0, records: [], fulfilled: [] },
      ).sequencer,
    }));
    this.#byName = new Map(
      this.#members.map((member) => [member.name, member]),
    );
  }

  /** Gives intents to the members in turn, all at once, and goes on until every one is on the ledger. */
  settle(intents: readonly Intent[]): void {
    const goal = this.#settled + intents.length;
    intents.forEach((intent, index) => {
      const to = this.#members[index % this.#members.length];
      if (to !== undefined)
        this.#deliver({
          to,
          event: {
            type: "IntentSubmitted",
            intent,
            fulfilled: none,
            reverted: none,
          },
        });
    });
    this.#drain();
    let heightMax = this.#height + patienceBlocks;
    while (this.#settled < goal) {
      const before = this.#settled;
      this.#mine();
      this.#drain();
      for (let tick = 0; tick < ticksPerBlock; tick++) {
        for (const member of this.#members)
          this.#tell(member, { type: "Tick" });
        this.#drain();
      }
      if (this.#settled > before) heightMax = this.#height + patienceBlocks;
      if (this.#height > heightMax)
        throw new Error(`${goal - this.#settled} intents never settle.`);
    }
  }

  #tell(to: Member, event: Event): void {
    this.#queue.push({ to, event });
  }

  #drain(): void {
    const queue = this.#queue;
    // What is delivered adds to the list while it is walked.
    for (let at = 0; at < queue.length; at++) {
      const delivery = queue[at];
      // What is delivered is nobody's any more; kept, it would be the core that seems to keep it.
      queue[at] = undefined;
      if (delivery !== undefined) this.#deliver(delivery);
    }
    queue.length = 0;
  }

  #deliver({ to, event }: Delivery): void {
    this.#onEvent();
    for (const effect of handle(to.sequencer, event)) this.#perform(to, effect);
  }

  #perform(by: Member, effect: Effect): void {
    switch (effect.type) {
      case "Send": {
        const to = this.#byName.get(effect.to);
        const { message } = effect;
        if (to !== undefined)
          this.#tell(to, { type: "MessageReceived", from: by.name, message });
        return;
      }
      case "Assemble": {
        const { key, intents, view, validUntil } = effect;
        const request = { sender: by.name, intents, view, validUntil };
        const outcomes = assemble(this.#work, this.#ledger, request);
        this.#tell(by, { type: "AssemblyDone", key, outcomes });
        return;
      }
      case "Endorse": {
        const outcome = { type: "endorsed", signature: by.name } as const;
        const { digest } = effect.bundle;
        this.#tell(by, { type: "EndorsementDone", digest, outcome });
        return;
      }
      case "Submit":
        this.#submitted.push({ by, dispatch: effect.dispatch });
        return;
      case "Settled":
        if (effect.receipt.type === "Reverted")
          throw new Error(`An intent reverted: ${effect.receipt.reason}`);
        this.#settled += 1;
        return;
      case "Refused":
        throw new Error(`An intent was refused: ${effect.reason}`);
      case "PreparedForUser":
      case "ShowStep":
      case "Accepted":
      case "Save":
      case "Erase":
        return;
    }
  }

  /** A block with all that was submitted. */
  #mine(): void {
    this.#height += 1;
    const facts: LedgerFact[] = [];
    for (const { by, dispatch } of this.#submitted) {
      const { steps, digest } = dispatch.bundle;
      if (this.#ledger.execute(steps))
        facts.push({ intents: steps.map(({ intentId }) => intentId), digest });
      else
        this.#tell(by, {
          type: "SubmissionFailed",
          digest,
          failure: "reverted",
          reason: "StateNotAvailable",
          isRetryable: true,
        });
    }
    this.#submitted = [];
    const height = this.#height;
    for (const member of this.#members)
      this.#tell(member, { type: "BlockSeen", height, facts });
  }
}

const contract = groupAddress(`0x${"b".repeat(40)}`);

function groupAddress(
  text: string,
): NonNullable<ReturnType<typeof parseGroupAddress>> {
  const address = parseGroupAddress(text);
  if (address === undefined) throw new Error(`${text} is no address.`);
  return address;
}

function nodeNamed(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name of a node.`);
  return name;
}
