import { keccak256, toUtf8Bytes } from "ethers";

import {
  buildGroupConfig,
  type CompactSignature,
  decodeLogs,
  encodeExecute,
  type Endorsements,
  type GroupConfig,
  type Hex,
  ledgerDomain,
  type LedgerDomain,
  outputStateIds,
  packEndorsements,
  parseBytes32,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseStateId,
  parseUint64,
  privacyGroupInterface,
  registerOf,
  type StateId as LedgerStateId,
  type Transition,
  transitionDigest,
  VACANCY,
} from "../../../src/ledger/index.ts";
import type {
  IntentId,
  NodeName,
  Place,
  StateId,
} from "../../../src/protocol/ids.ts";
import { outlineOf } from "../../../src/protocol/outline.ts";
import type { Bundle, State } from "../../../src/protocol/transition.ts";
import { hashing, stateIdOf } from "../../../src/simulation/hashing.ts";
import type { Chain } from "../chain.ts";
import { aSigner, type Signer, signersInOrder } from "../keys.ts";
import type { Attempt } from "./attempt.ts";

/** What a ledger made of an attempt. */
export type Verdict =
  | { readonly type: "Refused"; readonly reason: string }
  | {
      readonly type: "Done";
      readonly intents: readonly string[];
      readonly inputs: readonly string[];
      readonly outputs: readonly string[];
    };

interface Effect {
  readonly intents: readonly IntentId[];
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
}

const prefix = "PrivacyGroup";

/** A group on a real chain that is spoken to in the simulator's words. */
export class Contract {
  readonly #chain: Chain;
  readonly #domain: LedgerDomain;
  readonly #config: GroupConfig;
  readonly #signers: ReadonlyMap<NodeName, Signer>;
  /** The ledger's ids of states at the simulator's places. */
  readonly #names = new Map<string, LedgerStateId>();

  static async create(
    chain: Chain,
    group: {
      readonly committee: readonly NodeName[];
      readonly threshold: number;
    },
  ): Promise<Contract> {
    const signers = signersInOrder(group.committee.length);
    const config = buildGroupConfig({
      members: signers.map(({ address }) => address),
      threshold: group.threshold,
      externalCalls: false,
    });
    const block = await chain.blockNumber();
    // Two runs with the same seed on one chain still need two groups.
    const salt = parseBytes32(`0x${block.toString(16).padStart(64, "0")}`);
    const created = await chain.createGroup(config, salt);
    return new Contract(chain, { ...group, ...created, config, signers });
  }

  private constructor(
    chain: Chain,
    options: {
      readonly committee: readonly NodeName[];
      readonly group: Parameters<typeof ledgerDomain>[0]["group"];
      readonly config: GroupConfig;
      readonly signers: readonly Signer[];
    },
  ) {
    const { committee, group, config, signers } = options;
    this.#chain = chain;
    this.#domain = ledgerDomain({ chainId: chain.chainId, group });
    this.#config = config;
    this.#signers = new Map(
      committee.flatMap((name, index): [NodeName, Signer][] => {
        const signer = signers[index];
        return signer === undefined ? [] : [[name, signer]];
      }),
    );
  }

  /** The block in which the next transaction is mined. */
  async nextBlock(): Promise<number> {
    return (await this.#chain.blockNumber()) + 1;
  }

  async execute(attempt: Attempt): Promise<Verdict> {
    const { transition, effect } = this.#encode(attempt.bundle);
    const sent = await this.#chain.send({
      to: this.#domain.group,
      data: encodeExecute(transition, this.#endorse(attempt, transition)),
    });
    if (sent.type === "Refused") {
      const { type } = sent.error;
      if (!type.startsWith(prefix)) throw new Error(type);
      return { type: "Refused", reason: type.slice(prefix.length) };
    }
    const ids = outputStateIds(transition);
    const outline = outlineOf(hashing, attempt.bundle);
    hashing.placesOf(outline).forEach(({ id, place }, index) => {
      const name = ids[index];
      if (name !== undefined) this.#names.set(`${id} ${place}`, name);
    });
    const [fact] = decodeLogs(sent.logs);
    if (fact?.type !== "Transitioned") throw new Error("nothing happened");
    return {
      type: "Done",
      intents: fact.intents,
      inputs: fact.inputs,
      // The rest are vacancies, which only keep a place.
      outputs: fact.outputs.slice(0, effect.outputs.length),
    };
  }

  /** The id of a state on the ledger. At a place where it never was, it has one that nothing has. */
  nameOf(id: StateId, place: Place | undefined): LedgerStateId {
    const nothing = { intentId: id, index: 0, content: place ?? "nowhere" };
    return (
      this.#names.get(`${id} ${place ?? ""}`) ??
      parseStateId(stateIdOf(nothing))
    );
  }

  /** The ids of what a bundle spends, in the contract's order. */
  inputsOf(bundle: Bundle): LedgerStateId[] {
    const { inputs } = effectOf(bundle);
    return this.#namesIn(bundle, inputs).sort((a, b) => (a < b ? -1 : 1));
  }

  #namesIn({ places }: Bundle, ids: readonly StateId[]): LedgerStateId[] {
    const placeOf = new Map(places.map(({ id, place }) => [id, place]));
    return ids.map((id) => this.nameOf(id, placeOf.get(id)));
  }

  /** Whether two different inputs claim the same register, so that the contract may find either wrong first. */
  hasSharedRegister(bundle: Bundle): boolean {
    const registers = [...new Set(this.inputsOf(bundle))].map(registerOf);
    return new Set(registers).size < registers.length;
  }

  async isUnspent(id: StateId, place: Place | undefined): Promise<boolean> {
    return await this.#ask("isUnspent", this.nameOf(id, place));
  }

  async isFulfilled(id: IntentId): Promise<boolean> {
    return await this.#ask("isFulfilled", parseHex(id));
  }

  async #ask(name: "isUnspent" | "isFulfilled", word: Hex): Promise<boolean> {
    const data = parseHex(
      privacyGroupInterface.encodeFunctionData(name, [word]),
    );
    const to = this.#domain.group;
    return BigInt(await this.#chain.call({ to, data })) === 1n;
  }

  #encode(bundle: Bundle): {
    readonly transition: Transition;
    readonly effect: Effect;
  } {
    const effect = effectOf(bundle);
    const inputs = this.inputsOf(bundle);
    const outputs = effect.outputs.map(({ content }) =>
      parseCommitment(keccak256(toUtf8Bytes(content))),
    );
    while (outputs.length < inputs.length) outputs.push(VACANCY);
    const transition: Transition = {
      epoch: parseUint64(0n),
      intents: effect.intents.map((id) => parseIntentId(id)),
      inputs,
      reads: this.#namesIn(bundle, effect.reads),
      outputs,
      details: parseBytes32(bundle.digest),
      validUntil: parseUint64(BigInt(bundle.validUntil)),
      calls: [],
    };
    return { transition, effect };
  }

  #endorse({ signers }: Attempt, transition: Transition): Endorsements {
    const { members } = this.#config;
    const digest = transitionDigest(this.#domain, transition);
    const validUntil = parseUint64(transition.validUntil + 1n);
    const other = transitionDigest(this.#domain, { ...transition, validUntil });
    const somebody = aSigner(members.length);
    const all: { index: number; signature: CompactSignature }[] = [];
    for (const [name, signing] of signers) {
      const signer = this.#signers.get(name) ?? somebody;
      const hand = signing === "other signer" ? somebody : signer;
      const signed = hand.sign(signing === "other bundle" ? other : digest);
      const [signature] = packEndorsements({ members: [hand.address] }, [
        { member: 0, signature: signed },
      ]).signatures;
      const at = members.indexOf(signer.address);
      const index = at === -1 ? members.length : at;
      if (signature !== undefined) all.push({ index, signature });
    }
    all.sort((a, b) => a.index - b.index);
    return {
      signers: all.reduce(
        (bits, { index }) => bits | (1n << BigInt(index)),
        0n,
      ),
      signatures: all.map(({ signature }) => signature),
    };
  }
}

/** What a bundle comes to, step by step: what is created and spent inside never reaches the ledger. */
export function effectOf({ steps }: Bundle): Effect {
  const outputs: State[] = [];
  const inputs: StateId[] = [];
  const reads: StateId[] = [];
  const inside = new Set<StateId>();
  for (const step of steps) {
    for (const id of step.reads)
      if (!inside.has(id) && !reads.includes(id)) reads.push(id);
    for (const id of step.inputs) {
      const at = outputs.findIndex((state) => state.id === id);
      if (at === -1) inputs.push(id);
      else outputs.splice(at, 1);
    }
    for (const state of step.outputs) {
      outputs.push(state);
      inside.add(state.id);
    }
  }
  const intents = steps.map(({ intentId }) => intentId);
  return { intents, inputs, reads, outputs };
}
