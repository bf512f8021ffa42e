import { randomBytes } from "node:crypto";

import {
  type IntentId,
  type NodeName,
  parseIntentId,
  parseNodeName,
} from "../../../src/protocol/ids.ts";
import type { State } from "../../../src/protocol/transition.ts";
import type {
  Assembly,
  Domain,
  DomainGroup,
  DomainState,
  DomainStep,
  Json,
  NewState,
  StateView,
} from "../../../src/domains/domain.ts";
import { genesisIdOf } from "../../../src/domains/genesis.ts";
import { createState, readState } from "../../../src/domains/states/content.ts";
import { Overlay } from "../../../src/domains/states/overlay.ts";
import { MemoryLedger } from "./memory-ledger.ts";

/** What a user asks of a node. */
export interface Asked {
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
  /** The node itself, if nobody else is named. */
  readonly from?: string;
}

/** How an intent ended. */
export type Ended =
  | {
      readonly type: "confirmed";
      readonly step: DomainStep;
      readonly receipt: Json | undefined;
    }
  | Exclude<Assembly, { readonly type: "assembled" }>;

/** A group of nodes that only have a domain and a ledger in memory: assemble, endorse at everyone, apply. */
export class PlayedGroup {
  readonly domain: Domain;
  readonly group: DomainGroup;
  readonly ledger = new MemoryLedger();
  readonly #contents = new Map<string, State>();

  constructor(
    options: {
      readonly members: readonly string[];
      readonly configuration?: Readonly<Record<string, string>>;
      readonly address?: string;
    },
    ports: { readonly domain: Domain },
  ) {
    const members = options.members.map(nodeName);
    const plan = { members, configuration: options.configuration ?? {} };
    const { domain } = ports;
    domain.checkGroup(plan);
    this.domain = domain;
    this.group = {
      ...plan,
      address: options.address ?? `0x${"42".repeat(20)}`,
      endorsers: domain.endorsersOf?.(plan) ?? members,
    };
  }

  /** Sends what the group begins with, if its domain wants that. */
  async begin(): Promise<this> {
    const payload = this.domain.genesis?.(this.group);
    const [creator] = this.group.members;
    if (payload === undefined || creator === undefined) return this;
    const id = genesisIdOf(this.group);
    const ended = await this.settle({ id, sender: creator, payload });
    if (ended.type !== "confirmed") throw new Error(ended.reason);
    return this;
  }

  /** Checks, assembles, endorses and applies. */
  async send(node: string, asked: Asked): Promise<Ended> {
    const { payload } = this.domain.check(this.#callOf(node, asked));
    const sender = nodeName(node);
    return await this.settle({ id: freshIntentId(), sender, payload });
  }

  async query(
    node: string,
    asked: Asked,
  ): Promise<Readonly<Record<string, Json>>> {
    return await this.domain.query(this.#callOf(node, asked), this.ledger);
  }

  async settle(intent: Sent): Promise<Ended> {
    const step = await this.assemble(intent);
    if (!("inputs" in step)) return step;
    const refusals = await this.refusalsOf(step);
    if (refusals.length > 0) throw new Error(`Refused: ${refusals.join("; ")}`);
    this.apply(step);
    return { type: "confirmed", step, receipt: this.receiptOf(step) };
  }

  /** The step that an intent comes to, on the ledger or on what is in flight on top of it. */
  async assemble(
    { id, sender, payload }: Sent,
    view: StateView = this.overlay(),
  ): Promise<DomainStep | Exclude<Assembly, { type: "assembled" }>> {
    const { group } = this;
    const assembly = await this.domain.assemble(
      { group, id, sender, payload },
      view,
    );
    if (assembly.type !== "assembled") return assembly;
    const found = (used: DomainState["id"]): DomainState => {
      const state = view.get(used);
      if (state === undefined) throw new Error(`${used} is not there.`);
      return state;
    };
    return {
      group,
      intentId: id,
      sender,
      payload,
      inputs: assembly.inputs.map(found),
      reads: assembly.reads.map(found),
      outputs: this.create(assembly.outputs, id),
      infos: this.create(assembly.infos ?? [], id, assembly.outputs.length),
      calls: assembly.calls ?? [],
    };
  }

  /** What every endorser has against a step, on the ledger or on what is in flight. */
  async refusalsOf(
    step: DomainStep,
    view: StateView = this.overlay(),
  ): Promise<readonly string[]> {
    const reasons = await Promise.all(
      this.group.endorsers.map(async () =>
        [...step.inputs, ...step.reads].every(({ id }) => view.get(id))
          ? await this.domain.endorse(step)
          : "a state that is not there",
      ),
    );
    return reasons.filter((reason) => reason !== undefined);
  }

  /** Throws if the ledger would refuse. */
  apply(step: DomainStep, ledger: MemoryLedger = this.ledger): void {
    ledger.apply(this.netOf(step));
  }

  /** What there is, to build something on. */
  overlay(): Overlay {
    return new Overlay(this.ledger, { created: [], spent: [] });
  }

  netOf({ inputs, reads, outputs }: DomainStep): {
    readonly inputs: DomainState["id"][];
    readonly reads: DomainState["id"][];
    readonly outputs: State[];
  } {
    return {
      inputs: inputs.map(({ id }) => id),
      reads: reads.map(({ id }) => id),
      outputs: outputs.flatMap(({ id }) => this.#contents.get(id) ?? []),
    };
  }

  receiptOf({ inputs, reads, outputs, infos }: DomainStep): Json | undefined {
    return this.domain.receipt?.(this.group, {
      spent: inputs,
      read: reads,
      confirmed: outputs,
      infos,
    });
  }

  /** States, as the node makes them: salted, and read back from their content. */
  create(
    states: readonly NewState[],
    intentId: IntentId,
    first = 0,
  ): DomainState[] {
    return states.map((state, at) => {
      const index = first + at;
      const created = createState(state, { intentId, index });
      const read = readState(created);
      if (read === undefined) throw new Error("A state makes no sense.");
      this.#contents.set(created.id, created);
      return read;
    });
  }

  #callOf(
    node: string,
    { signature, args, from }: Asked,
  ): Parameters<Domain["check"]>[0] {
    return {
      group: this.group,
      node: nodeName(node),
      from: from ?? node,
      signature,
      args,
    };
  }
}

/** An intent on its way. */
export interface Sent {
  readonly id: IntentId;
  readonly sender: NodeName;
  readonly payload: string;
}

export function freshIntentId(): IntentId {
  const id = parseIntentId(`0x${randomBytes(32).toString("hex")}`);
  if (id === undefined) throw new Error("An intent's id is none.");
  return id;
}

export function nodeName(name: string): NodeName {
  const parsed = parseNodeName(name);
  if (parsed === undefined) throw new Error(`${name} is no node.`);
  return parsed;
}
