import { readCall } from "../../../src/plugin/connection/call.ts";
import type { Value } from "../../../src/plugin/connection/types.ts";
import {
  type IntentId,
  type NodeName,
  parseIntentId,
  type StateId,
} from "../../../src/protocol/ids.ts";
import type { State } from "../../../src/protocol/transition.ts";
import type {
  Assembly,
  Domain,
  DomainCall,
  DomainGroup,
  DomainState,
  DomainStep,
  Json,
  PublicCall,
} from "../../../src/domains/domain.ts";
import { Overlay } from "../../../src/domains/states/overlay.ts";
import { create, nodeNamed, read } from "./states.ts";

/** What a member assembled, before anybody looks at it. A test may spoil it. */
export interface PlayedStep {
  readonly type: "assembled";
  readonly intentId: IntentId;
  readonly sender: NodeName;
  readonly payload: string;
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
  readonly infos: readonly State[];
  readonly calls: readonly PublicCall[];
}

/** What became of an intent. */
export type Outcome =
  | { readonly type: "done"; readonly step: PlayedStep }
  | {
      readonly type: "refused" | "reverted" | "parked";
      readonly reason: string;
    };

type Arguments = Readonly<Record<string, Value>>;

/** An account as in `alice@bank`: a user and the node that he uses. */
type Who = string;

/**
 * A group of a domain without nodes and without a ledger. Every member has a view of its own, with what it may see and
 * nothing else: members assemble on theirs, and endorsers check on theirs.
 */
export class Play {
  readonly group: DomainGroup;
  readonly #domain: Domain;
  readonly #views: ReadonlyMap<NodeName, Overlay>;
  /** Everything that ever was. */
  readonly #states = new Map<StateId, DomainState>();
  readonly #unspent = new Set<StateId>();
  #intents = 0;

  constructor(
    domain: Domain,
    plan: {
      readonly members: readonly string[];
      readonly configuration?: Readonly<Record<string, string>>;
    },
  ) {
    const members = plan.members.map(nodeNamed);
    const { configuration = {} } = plan;
    domain.checkGroup({ members, configuration });
    this.#domain = domain;
    this.group = {
      address: `0x${"ab".repeat(20)}`,
      members,
      endorsers: domain.endorsersOf?.({ members, configuration }) ?? members,
      configuration,
    };
    this.#views = new Map(members.map((member) => [member, emptyView()]));
  }

  /** What a user asks, as the domain gets it. */
  call(who: Who, functionName: string, args: Arguments = {}): DomainCall {
    const [from = "", node = ""] = who.split("@");
    const { signature, args: values } = readCall(
      this.#domain,
      functionName,
      args,
    );
    const { group } = this;
    return { group, node: nodeNamed(node), from, signature, args: values };
  }

  check(
    who: Who,
    functionName: string,
    args?: Arguments,
  ): ReturnType<Domain["check"]> {
    return this.#domain.check(this.call(who, functionName, args));
  }

  /** The user's node assembles; nothing happens yet. */
  async assemble(
    who: Who,
    functionName: string,
    args?: Arguments,
  ): Promise<PlayedStep | Exclude<Assembly, { type: "assembled" }>> {
    const { node } = this.call(who, functionName, args);
    const { payload } = this.check(who, functionName, args);
    return await this.assemblePayload(node, payload);
  }

  /** The same for a payload that a node may have made up. */
  async assemblePayload(
    node: string,
    payload: string,
  ): Promise<PlayedStep | Exclude<Assembly, { type: "assembled" }>> {
    const sender = nodeNamed(node);
    const intentId = this.#nextIntentId();
    const assembly = await this.#domain.assemble(
      { group: this.group, id: intentId, sender, payload },
      this.view(sender),
    );
    if (assembly.type !== "assembled") return assembly;
    const { inputs, reads, outputs, infos = [], calls = [] } = assembly;
    return {
      type: "assembled",
      intentId,
      sender,
      payload,
      inputs,
      reads,
      outputs: create(outputs, intentId),
      infos: create(infos, intentId, outputs.length),
      calls,
    };
  }

  /** Why endorsers refuse a step; undefined if they do not. They have to agree. */
  async endorse(step: PlayedStep): Promise<string | undefined> {
    const answers = new Set<string | undefined>();
    for (const endorser of this.group.endorsers)
      answers.add(await this.#endorseAt(endorser, step));
    if (answers.size !== 1)
      throw new Error(`Endorsers disagree: ${[...answers].join(" / ")}`);
    const [answer] = answers;
    return answer;
  }

  /** It happened: every member learns what it may see. */
  apply({ inputs, outputs }: PlayedStep): void {
    const created = outputs.map((output) => ({ output, state: read(output) }));
    for (const { state } of created) {
      this.#states.set(state.id, state);
      this.#unspent.add(state.id);
    }
    for (const id of inputs) this.#unspent.delete(id);
    for (const [member, view] of this.#views)
      view.apply(
        inputs,
        created
          .filter(({ state }) => this.maySee(member, state))
          .map(({ output }) => output),
      );
  }

  /** From what a user asks to what everybody knows. Throws what the domain throws for nonsense. */
  async send(
    who: Who,
    functionName: string,
    args?: Arguments,
  ): Promise<Outcome> {
    const step = await this.assemble(who, functionName, args);
    if (step.type !== "assembled")
      return { type: step.type, reason: step.reason };
    const reason = await this.endorse(step);
    if (reason !== undefined) return { type: "refused", reason };
    this.apply(step);
    return { type: "done", step };
  }

  /** The same, for what must succeed. */
  async do(
    who: Who,
    functionName: string,
    args?: Arguments,
  ): Promise<PlayedStep> {
    const outcome = await this.send(who, functionName, args);
    if (outcome.type === "done") return outcome.step;
    throw new Error(
      `${functionName} of ${who} is ${outcome.type}: ${outcome.reason}`,
    );
  }

  async query(
    who: Who,
    functionName: string,
    args?: Arguments,
  ): Promise<Readonly<Record<string, Json>>> {
    const call = this.call(who, functionName, args);
    return await this.#domain.query(call, this.view(call.node));
  }

  /** The domain's receipt of a step that was taken, at a node that sees as much as it may. */
  receipt(step: PlayedStep, node: string): Json {
    const known = (ids: readonly StateId[]): readonly DomainState[] =>
      ids.flatMap((id) => this.#states.get(id) ?? []);
    const seen = (states: readonly DomainState[]): readonly DomainState[] =>
      states.filter((state) => this.maySee(nodeNamed(node), state));
    if (this.#domain.receipt === undefined)
      throw new Error("The domain has no receipts.");
    return this.#domain.receipt(this.group, {
      spent: seen(known(step.inputs)),
      read: seen(known(step.reads)),
      confirmed: seen(step.outputs.map(read)),
      infos: seen(step.infos.map(read)),
    });
  }

  /** Endorsers see everything. */
  maySee(member: NodeName, state: DomainState): boolean {
    return (
      this.group.endorsers.includes(member) ||
      this.#domain.isEntitled(this.group, state, member)
    );
  }

  view(member: string): Overlay {
    const view = this.#views.get(nodeNamed(member));
    if (view === undefined) throw new Error(`${member} is no member.`);
    return view;
  }

  /** Everything that can be spent, whoever sees it. */
  unspent(): readonly DomainState[] {
    return [...this.#unspent].flatMap((id) => this.#states.get(id) ?? []);
  }

  async #endorseAt(
    endorser: NodeName,
    step: PlayedStep,
  ): Promise<string | undefined> {
    const view = this.view(endorser);
    if (new Set(step.inputs).size !== step.inputs.length) return "spent twice";
    const resolve = (ids: readonly StateId[]): readonly DomainState[] =>
      ids.flatMap((id) => view.get(id) ?? []);
    const inputs = resolve(step.inputs);
    const reads = resolve(step.reads);
    if (inputs.length < step.inputs.length || reads.length < step.reads.length)
      return "a state that is not there";
    const checked: DomainStep = {
      ...step,
      group: this.group,
      inputs,
      reads,
      outputs: step.outputs.map(read),
      infos: step.infos.map(read),
    };
    return await this.#domain.endorse(checked);
  }

  #nextIntentId(): IntentId {
    this.#intents += 1;
    const id = parseIntentId(
      `0x${this.#intents.toString(16).padStart(64, "0")}`,
    );
    if (id === undefined) throw new Error("A number is no id.");
    return id;
  }
}

function emptyView(): Overlay {
  return new Overlay(
    { get: () => undefined, find: () => [] },
    { created: [], spent: [] },
  );
}
