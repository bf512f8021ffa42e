import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { Conduct } from "./conduct/conduct.ts";
import type { SimulatedDomain } from "./domains/domain.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { SimulatedNode } from "./node.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

/** Milliseconds by which the answer of a domain that takes its time is out of date, at most. */
const thinkingMsMax = 50;

/** The domain as nodes reach it: it takes its time, and sometimes errs, refuses or never answers. */
export class DomainService {
  readonly #ports: {
    readonly domain: SimulatedDomain;
    readonly queue: Queue;
    readonly random: Random;
    readonly faults: FaultCounter;
    readonly plan: () => FaultPlan;
    readonly liars: ReadonlySet<NodeName>;
    readonly parked: () => ReadonlySet<IntentId>;
    readonly conduct: Conduct;
    readonly tell: (node: SimulatedNode, event: Event) => void;
  };
  #work: Promise<void> | undefined;

  constructor(ports: {
    readonly domain: SimulatedDomain;
    readonly queue: Queue;
    readonly random: Random;
    readonly faults: FaultCounter;
    readonly plan: () => FaultPlan;
    readonly liars: ReadonlySet<NodeName>;
    readonly parked: () => ReadonlySet<IntentId>;
    readonly conduct: Conduct;
    readonly tell: (node: SimulatedNode, event: Event) => void;
  }) {
    this.#ports = ports;
  }

  /** What the domain is at: nothing else may happen before it is done. */
  takeWork(): Promise<void> | undefined {
    const work = this.#work;
    this.#work = undefined;
    return work;
  }

  assemble(
    node: SimulatedNode,
    effect: Extract<Effect, { readonly type: "Assemble" }>,
  ): void {
    const { key, intents, view, validUntil } = effect;
    const { random, faults } = this.#ports;
    if (random.chance(this.#ports.plan().muteAssembler)) {
      faults.count("assembler-mute");
      return;
    }
    this.#later(node, 0, () => {
      const { assembleError } = this.#ports.plan();
      const failing = new Set<IntentId>();
      for (const { id } of intents) {
        if (!random.chance(assembleError)) continue;
        faults.count("assembly-error");
        failing.add(id);
      }
      const answer = this.#ports.domain.assemble({
        sender: node.name,
        intents,
        view,
        validUntil,
        parked: this.#ports.parked(),
        failing,
        isLying: this.#isLying(node),
      });
      return after(answer, ({ outcomes, hopeless }) => {
        this.#ports.conduct.judged(node, key, hopeless);
        return { type: "AssemblyDone", key, outcomes };
      });
    });
  }

  endorse(
    node: SimulatedNode,
    { bundle, view }: Extract<Effect, { readonly type: "Endorse" }>,
  ): void {
    const { random, faults } = this.#ports;
    const plan = this.#ports.plan();
    if (random.chance(plan.muteEndorser)) {
      faults.count("endorser-mute");
      return;
    }
    const isLate = random.chance(plan.lateEndorser);
    if (isLate) faults.count("endorser-late");
    this.#later(node, isLate ? random.below(10_000) : 0, () => {
      const { digest } = bundle;
      if (random.chance(this.#ports.plan().refuse)) {
        faults.count("endorser-refuses");
        const outcome = {
          type: "refused",
          detail: "not today",
          faults: [],
        } as const;
        return { type: "EndorsementDone", digest, outcome };
      }
      const outcome = this.#ports.domain.endorse({
        endorser: node.name,
        bundle,
        view,
        isLying: this.#isLying(node),
      });
      return after(outcome, (done) => ({
        type: "EndorsementDone",
        digest,
        outcome: done,
      }));
    });
  }

  /** Liars tell the truth in the end. */
  #isLying({ name }: SimulatedNode): boolean {
    return this.#ports.liars.has(name) && this.#ports.plan().liars > 0;
  }

  /** Answers after a while, with what is true then, if the node has not crashed meanwhile. */
  #later(
    node: SimulatedNode,
    extraMs: number,
    answer: () => Event | Promise<Event>,
  ): void {
    const { queue, random } = this.#ports;
    const { boot } = node;
    const tell = (event: Event): void => {
      if (node.boot === boot) this.#ports.tell(node, event);
    };
    queue.after(random.between(1, 5) + extraMs, () => {
      if (node.boot !== boot) return;
      const event = answer();
      if (!(event instanceof Promise)) {
        tell(event);
        return;
      }
      const thinkingMs = random.below(thinkingMsMax);
      this.#work = event.then((done) => {
        queue.after(thinkingMs, () => {
          tell(done);
        });
      });
    });
  }
}

/** What follows from an answer: at once, if it is there. */
function after<Answer, Result>(
  answer: Answer | Promise<Answer>,
  follow: (answer: Answer) => Result,
): Result | Promise<Result> {
  return answer instanceof Promise ? answer.then(follow) : follow(answer);
}
