import type { LedgerFact } from "../protocol/events.ts";
import type { Digest, StateId } from "../protocol/ids.ts";
import type { DispatchRecord, Prepared } from "../protocol/records.ts";
import type { Bundle, State } from "../protocol/transition.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import { genesisPlace } from "./hashing.ts";
import type { Random } from "./random.ts";
import {
  execute,
  type Group,
  type LedgerRefusal,
  type LedgerState,
  type ExecutedTransition,
  undo,
} from "./transition.ts";

/** A base-ledger transaction: a bundle under a signer's nonce. */
export interface ChainTransaction {
  readonly signer: number;
  readonly nonce: number;
  readonly dispatch: DispatchRecord;
  status: "out" | "pool" | "mined";
  block: number;
  refusal: LedgerRefusal | "OutOfGas" | undefined;
}

/** A block that was mined. */
export interface Block {
  readonly height: number;
  readonly facts: readonly LedgerFact[];
  readonly transitions: readonly ExecutedTransition[];
  /** What the transitions were made of; nothing, for what was there in the beginning. */
  readonly bundles: readonly Bundle[];
  readonly transactions: readonly ChainTransaction[];
}

const transactionsPerBlock = 200;

/** The base ledger: a pool, blocks, and reorganisations. It enforces what the contract enforces. */
export class Chain {
  readonly blocks: Block[];
  readonly ledger: LedgerState = {
    unspent: new Map(),
    fulfilled: new Map(),
  };
  /** Called for every transition that happens, and with `isUndone` when a reorganisation takes it back. */
  readonly #onTransition: (net: ExecutedTransition, isUndone: boolean) => void;
  readonly #group: Group;
  readonly #random: Random;
  readonly #faults: FaultCounter;
  #plan: FaultPlan;
  readonly #pools: Map<number, ChainTransaction>[];
  readonly #nonces: number[];
  /** Bundles that somebody else sends, under a signer of his own. */
  readonly #foreign: Prepared[] = [];
  readonly #known: DispatchRecord[] = [];
  readonly #happened = new Set<Digest>();
  /** Every state that was ever created, so that what is undone can be known again. */
  readonly #contents = new Map<StateId, State>();

  constructor(
    options: {
      readonly group: Group;
      /** Accounts that send transactions: one for each node. */
      readonly signers: number;
      readonly plan: FaultPlan;
      readonly genesis: readonly State[];
    },
    ports: {
      readonly random: Random;
      readonly faults: FaultCounter;
      readonly onTransition: (
        net: ExecutedTransition,
        isUndone: boolean,
      ) => void;
    },
  ) {
    this.#group = options.group;
    this.#plan = options.plan;
    this.#random = ports.random;
    this.#faults = ports.faults;
    this.#onTransition = ports.onTransition;
    const { signers } = options;
    this.#pools = Array.from(
      { length: signers },
      () => new Map<number, ChainTransaction>(),
    );
    this.#nonces = Array<number>(signers).fill(0);
    const outputs = options.genesis;
    for (const state of outputs) {
      this.ledger.unspent.set(state.id, genesisPlace);
      this.#contents.set(state.id, state);
    }
    const genesis: ExecutedTransition = {
      intents: [],
      inputs: [],
      reads: [],
      outputs,
      conflicts: [],
      taken: [],
      put: outputs.map(({ id }) => ({ id, place: genesisPlace })),
    };
    this.blocks = [
      {
        height: 0,
        facts: [],
        transitions: [genesis],
        bundles: [],
        transactions: [],
      },
    ];
  }

  get height(): number {
    return this.blocks.length - 1;
  }

  heal(plan: FaultPlan): void {
    this.#plan = plan;
  }

  /** A state that was created at some time. */
  content(id: StateId): State | undefined {
    return this.#contents.get(id);
  }

  /** Whether a bundle is on the canonical chain. */
  hasHappened(digest: Digest): boolean {
    return this.#happened.has(digest);
  }

  /** Puts a transaction into the pool, as an RPC node does. */
  submit(transaction: ChainTransaction): void {
    if (transaction.status !== "out") return;
    if (transaction.nonce < (this.#nonces[transaction.signer] ?? 0)) return;
    transaction.status = "pool";
    this.#pools[transaction.signer]?.set(transaction.nonce, transaction);
    this.#known.push(transaction.dispatch);
  }

  /** Somebody who is no member executes an endorsed bundle: it comes first in the next block. */
  execute(prepared: Prepared): void {
    this.#foreign.push(prepared);
  }

  mine(): Block {
    if (
      this.#known.length > 0 &&
      this.#random.chance(this.#plan.replayBundle)
    ) {
      this.#faults.count("bundle-replayed");
      this.#foreign.push(this.#random.pick(this.#known));
    }
    const height = this.blocks.length;
    const facts: LedgerFact[] = [];
    const transitions: ExecutedTransition[] = [];
    const bundles: Bundle[] = [];
    const transactions: ChainTransaction[] = [];
    const run = ({
      bundle,
      endorsements,
    }: Prepared): ChainTransaction["refusal"] | undefined => {
      const call = { bundle, endorsements, block: height };
      const net = execute(this.ledger, this.#group, call);
      if (typeof net === "string") return net;
      facts.push({ intents: net.intents, digest: bundle.digest });
      transitions.push(net);
      bundles.push(bundle);
      this.#happened.add(bundle.digest);
      for (const state of net.outputs) this.#contents.set(state.id, state);
      this.#onTransition(net, false);
      return undefined;
    };
    for (const prepared of this.#foreign.splice(0)) run(prepared);
    for (const transaction of this.#selectFromPool()) {
      const isSpurious = this.#random.chance(this.#plan.spuriousRevert);
      if (isSpurious) this.#faults.count("spurious-revert");
      transaction.refusal = isSpurious ? "OutOfGas" : run(transaction.dispatch);
      transaction.status = "mined";
      transaction.block = height;
      transactions.push(transaction);
    }
    const block = { height, facts, transitions, bundles, transactions };
    this.blocks.push(block);
    return block;
  }

  /** Signers in a drawn order; each one's transactions in the order of their nonces. */
  #selectFromPool(): ChainTransaction[] {
    const selected: ChainTransaction[] = [];
    const order = this.#random.shuffle(this.#pools.map((_, index) => index));
    for (const signer of order) {
      const pool = this.#pools[signer];
      if (pool === undefined || pool.size === 0) continue;
      for (const [nonce, transaction] of pool) {
        if (!this.#random.chance(this.#plan.dropFromPool)) continue;
        this.#faults.count("pool-drop");
        pool.delete(nonce);
        transaction.status = "out";
      }
      for (;;) {
        const nonce = this.#nonces[signer] ?? 0;
        const next = pool.get(nonce);
        if (next === undefined || selected.length >= transactionsPerBlock)
          break;
        if (this.#random.chance(this.#plan.leaveInPool)) break;
        pool.delete(nonce);
        this.#nonces[signer] = nonce + 1;
        selected.push(next);
      }
    }
    return selected;
  }

  /** Replaces the last `depth` blocks by others, one more of them. A share of what was in them is lost from the pool. */
  reorganise(depth: number, lostShare = 0.2): void {
    const fork = Math.max(0, this.height - depth);
    while (this.height > fork) {
      const block = this.blocks.pop();
      if (block === undefined) break;
      for (const net of block.transitions.toReversed()) {
        undo(this.ledger, net);
        this.#onTransition(net, true);
      }
      for (const { digest } of block.facts) this.#happened.delete(digest);
      for (const transaction of block.transactions.toReversed())
        this.#unmine(transaction, lostShare);
    }
    for (let i = 0; i <= depth; i++) this.mine();
  }

  #unmine(transaction: ChainTransaction, lostShare: number): void {
    const { signer, nonce } = transaction;
    this.#nonces[signer] = Math.min(this.#nonces[signer] ?? 0, nonce);
    transaction.refusal = undefined;
    transaction.block = 0;
    const isLost = this.#random.chance(lostShare);
    transaction.status = isLost ? "out" : "pool";
    if (!isLost) this.#pools[signer]?.set(nonce, transaction);
  }
}
