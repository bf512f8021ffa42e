import { randomBytes } from "node:crypto";

import { keccak_256 } from "@noble/hashes/sha3.js";

import {
  type Address,
  buildTransition,
  type Endorsement,
  encodeExecute,
  type Hex,
  intentIdAt,
  LANE_BYTES,
  laneFrom,
  type LedgerDomain,
  outputStateIds,
  packEndorsements,
  parseCommitment,
  parseIntentId as parseLedgerIntentId,
  toBytes,
  toBytes32,
  toHex,
  type Transition,
  transitionDigest,
} from "../../../src/ledger/index.ts";
import {
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
} from "../../../src/protocol/ids.ts";
import type {
  Domain,
  DomainGroup,
  DomainState,
} from "../../../src/domains/domain.ts";
import { createEndorser, createPayer } from "../../../src/keys/secp256k1.ts";
import { Chain } from "../../../src/chain/chain.ts";
import { executeGasMax } from "../../../src/chain/submitter/gas.ts";
import type { Receipt } from "../../../src/chain/values.ts";
import type { ChainClient } from "../../../src/chain/ports.ts";
import type { Endorser, Payer } from "../../../src/keys/ports.ts";
import { createState, readState } from "../../../src/domains/states/content.ts";
import { type Contents, LedgerView } from "./ledger-view.ts";

/** The group that loners share, without anybody who puts their intents in an order. */
export interface LonerGroup extends DomainGroup {
  readonly address: GroupAddress;
  readonly domain: Domain;
  readonly ledger: LedgerDomain;
  readonly threshold: number;
  /** As the ledger has them. */
  readonly committee: readonly Address[];
  readonly createdBlock: number;
}

/** An intent as its sender assembled it, and the transition that carries it out. */
interface Proposal {
  readonly intentId: IntentId;
  readonly sender: NodeName;
  readonly payload: string;
  readonly inputs: readonly DomainState[];
  readonly outputs: readonly DomainState[];
  readonly transition: Transition;
}

const VALID_FOR_BLOCKS = 200n;

/**
 * A member who does everything alone: assembles on what it sees of the ledger, gets endorsements of the others, submits
 * with its own account, and when the ledger refuses, looks again and tries again. It has one transition under way at a
 * time: another one on top would fall with it.
 */
export class Loner {
  readonly name: NodeName;
  readonly #group: LonerGroup;
  readonly #client: ChainClient;
  readonly #chain: Chain;
  readonly #contents: Contents;
  readonly #view: LedgerView;
  readonly #endorser: Endorser;
  readonly #payer: Payer;
  readonly #lane = laneFrom(randomBytes(LANE_BYTES));
  #series = 0n;
  #nonce: number | undefined;

  constructor(
    options: { readonly name: NodeName; readonly key: string },
    ports: {
      readonly group: LonerGroup;
      readonly client: ChainClient;
      readonly contents: Contents;
    },
  ) {
    const { group, client, contents } = ports;
    this.name = options.name;
    this.#group = group;
    this.#client = client;
    this.#chain = new Chain(client);
    this.#contents = contents;
    this.#view = new LedgerView(
      { group: group.address, fromBlock: group.createdBlock },
      { chain: this.#chain, contents },
    );
    this.#endorser = createEndorser(options.key);
    this.#payer = createPayer(options.key);
  }

  /** Resolves when the intent is on the ledger. */
  async confirm(payload: string, members: readonly Loner[]): Promise<void> {
    const intentId = this.#nextIntentId();
    for (;;) {
      await this.#view.refresh();
      const proposal = await this.#assemble(intentId, payload);
      const endorsements = await gather(proposal, members, this.#group);
      // The others saw a block that this member has not seen yet.
      if (endorsements === undefined) continue;
      const { isSuccess } = await this.#submit(proposal, endorsements);
      if (isSuccess) return;
    }
  }

  /** Its signature, if the proposal does what it should with states that are unspent, as far as this member sees. */
  async endorse(proposal: Proposal): Promise<Endorsement | undefined> {
    await this.#view.refresh();
    const { intentId, sender, payload, inputs, outputs, transition } = proposal;
    const isUnspent = inputs.every(({ id }) => {
      const ledgerId = this.#view.ledgerIdOf(id);
      return ledgerId !== undefined && transition.inputs.includes(ledgerId);
    });
    if (!isUnspent) return undefined;
    const { domain, ledger } = this.#group;
    const group = this.#group;
    const fault = await domain.endorse({
      group,
      intentId,
      sender,
      payload,
      inputs,
      reads: [],
      outputs,
      infos: [],
      calls: [],
    });
    if (fault !== undefined) throw new Error(`Nobody endorses that: ${fault}.`);
    return {
      member: this.#endorser.address,
      signature: await this.#endorser.sign(
        transitionDigest(ledger, transition),
      ),
    };
  }

  async balanceOf(account: string): Promise<number> {
    await this.#view.refresh();
    const group = this.#group;
    const call = { group, node: this.name, from: this.name };
    const answer = await group.domain.query(
      { ...call, signature: "balanceOf(string)", args: { account } },
      this.#view,
    );
    return Number(answer["balance"]);
  }

  #nextIntentId(): IntentId {
    const id = parseIntentId(intentIdAt(this.#lane, this.#series));
    if (id === undefined) throw new Error("An intent's id is none.");
    this.#series += 1n;
    return id;
  }

  async #assemble(intentId: IntentId, payload: string): Promise<Proposal> {
    const { domain } = this.#group;
    const sender = this.name;
    const assembly = await domain.assemble(
      { group: this.#group, id: intentId, sender, payload },
      this.#view,
    );
    if (assembly.type !== "assembled") throw new Error(assembly.reason);
    const inputs = assembly.inputs.flatMap((id) => this.#view.get(id) ?? []);
    const outputs = assembly.outputs.flatMap(
      (state, index) =>
        readState(createState(state, { intentId, index })) ?? [],
    );
    const transition = buildTransition({
      epoch: 0n,
      intents: [parseLedgerIntentId(intentId)],
      inputs: inputs.flatMap(({ id }) => this.#view.ledgerIdOf(id) ?? []),
      outputs: outputs.map(({ id }) => parseCommitment(id)),
      details: toBytes32(keccak_256(new TextEncoder().encode(payload))),
      validUntil: BigInt(this.#view.height) + VALID_FOR_BLOCKS,
    });
    const ledgerIds = outputStateIds(transition);
    for (const [index, output] of outputs.entries()) {
      const ledgerId = ledgerIds[index];
      if (ledgerId !== undefined) this.#contents.set(ledgerId, output);
    }
    return { intentId, sender, payload, inputs, outputs, transition };
  }

  /** With a limit of gas that always suffices, as nodes compute it: nobody asks the chain first. */
  async #submit(
    { transition }: Proposal,
    endorsements: readonly Endorsement[],
  ): Promise<Receipt> {
    const { ledger, committee } = this.#group;
    const packed = packEndorsements({ members: committee }, endorsements);
    const data = encodeExecute(transition, packed);
    const { address } = this.#payer;
    this.#nonce ??= await this.#chain.transactionCount(address, "latest");
    const header = await this.#chain.header("latest");
    const tip = await this.#chain.suggestedTip();
    const raw = await this.#payer.signTransaction({
      chainId: ledger.chainId,
      nonce: this.#nonce,
      to: ledger.group,
      data,
      value: 0n,
      gasLimit: executeGasMax(transition, { data, signers: packed.signers }),
      maxFeePerGas: 2n * (header?.baseFee ?? 0n) + tip,
      maxPriorityFeePerGas: tip,
    });
    this.#nonce += 1;
    await this.#chain.sendRaw(raw);
    return await this.#mined(raw);
  }

  async #mined(raw: Hex): Promise<Receipt> {
    const hash = toHex(keccak_256(toBytes(raw)));
    for (;;) {
      const head = nextHead(this.#client);
      const receipt = await this.#chain.receiptOf(hash);
      if (receipt !== undefined) return receipt;
      await head;
    }
  }
}

/** As many endorsements as the ledger wants, or none. */
async function gather(
  proposal: Proposal,
  members: readonly Loner[],
  { threshold }: LonerGroup,
): Promise<readonly Endorsement[] | undefined> {
  const endorsements: Endorsement[] = [];
  for (const member of members) {
    const endorsement = await member.endorse(proposal);
    if (endorsement !== undefined) endorsements.push(endorsement);
    if (endorsements.length === threshold) return endorsements;
  }
  return undefined;
}

/** Resolves with the next block. */
async function nextHead(client: ChainClient): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = client.onHead(() => {
      stop();
      resolve();
    });
  });
}
