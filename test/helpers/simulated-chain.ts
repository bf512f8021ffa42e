import {
  buildGroupConfig,
  encodeCreateGroup,
  outputStateIds,
  parseHex,
  type StateId,
} from "../../src/ledger/index.ts";
import { curve } from "../../src/ledger/secp256k1.ts";
import { parseGroupAddress } from "../../src/protocol/ids.ts";
import { signTransaction } from "../../src/keys/transaction-bytes.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { Payer } from "../../src/keys/ports.ts";
import { groupAddressOf } from "../../src/simulation/chain-rpc/contracts/addresses.ts";
import { SimulatedLedger } from "../../src/simulation/chain-rpc/ledger.ts";
import {
  chainClientOf,
  type SimulatedClient,
  type SimulatedClientOptions,
} from "../../src/simulation/chain-rpc/rpc/client.ts";
import { Random } from "../../src/simulation/random.ts";
import { FakeTimers } from "./fake-timers.ts";
import { signersInOrder } from "./keys.ts";
import { aTestAccount } from "./ports/chain-under-test.ts";
import { publishedAccount } from "./accounts.ts";
import { randomFrom } from "./random.ts";
import { type Endorsed, endorserOf, type TestGroup } from "./runtime-ledger.ts";

/** Pays without another thread, so that nothing depends on how fast that is. */
export function anInstantPayer(number: number): Payer {
  const { privateKey } = publishedAccount(number);
  const sign = curve.signer(parseHex(privateKey));
  return {
    address: aTestAccount(number).address,
    signTransaction: async (unsigned) =>
      await signTransaction(
        unsigned,
        async (digest) => await Promise.resolve(sign(digest)),
      ),
  };
}

const BLOCK_MS = 2_000;

/** A simulated chain in virtual time, with a miner. */
export class SimulatedChain {
  readonly timers = new FakeTimers();
  readonly ledger = new SimulatedLedger();
  readonly #seed: number;
  readonly #owner = aTestAccount(9);
  #nowMs = this.ledger.options.timestampMs;
  #groups = 0;
  #clients = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  client(options: SimulatedClientOptions = {}): SimulatedClient {
    const random = new Random(this.#seed, `client ${this.#clients++}`);
    const { ledger, timers } = this;
    return chainClientOf({ ledger, timers, random }, options);
  }

  /** A group of three members, in a block of its own. */
  async createGroup(): Promise<TestGroup> {
    const { ledger } = this;
    const { chainId, factory } = ledger.options;
    const random = randomFrom(this.#seed + 1_000 * ++this.#groups);
    const members = signersInOrder(3).map(({ address }) => address);
    const parts = { members, threshold: 3, externalCalls: false };
    const config = buildGroupConfig(parts);
    const salt = random.bytes32();
    const data = encodeCreateGroup(config, salt);
    ledger.send(await this.#owner.sign({ to: factory, data }));
    const block = this.mine();
    const creator = this.#owner.address;
    const { implementation } = ledger;
    const contracts = { factory, implementation };
    const to = groupAddressOf(contracts, { creator, config, salt });
    const address = parseGroupAddress(to);
    if (address === undefined) throw new Error("The group has no address.");
    const endorse = endorserOf({ chainId, group: to, config, random });
    return {
      address,
      to,
      block,
      endorse,
      execute: async () => {
        const raw = await this.#owner.sign({ to, data: endorse().data });
        ledger.send(raw);
        this.mine();
      },
    };
  }

  mine(): number {
    return this.ledger.mine({ timestampMs: this.#tick() }).number;
  }

  /** Takes blocks back, makes one more than that, and loses some of what was in them. */
  reorganise(depth: number, random: Random): void {
    this.ledger.reorganise({
      depth,
      blocks: depth + 1,
      timestampMs: this.#tick(),
      mayInclude: () => random.chance(0.5),
      isLost: () => random.chance(0.3),
    });
  }

  /** Lets time pass until something holds. Fails when that takes too long. */
  async until(holds: () => boolean, stepMs = 5): Promise<void> {
    for (let steps = 0; !holds(); steps++) {
      if (steps > 200_000) throw new Error("It never happens.");
      await this.pass(stepMs);
    }
  }

  async pass(ms: number): Promise<void> {
    this.timers.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Hashes of the transitions of a group, in the order of the chain. */
  transitionsOf({ to }: TestGroup): readonly string[] {
    const { ledger } = this;
    const hashes: string[] = [];
    for (let number = 0; number <= ledger.head.number; number++)
      for (const { logs } of ledger.tree.blockAt(ledger.head, number)
        ?.transactions ?? [])
        for (const { address, topics } of logs.slice(-1))
          if (address === to) hashes.push(topics[1] ?? "");
    return hashes;
  }

  #tick(): number {
    return (this.#nowMs += BLOCK_MS);
  }
}

/** Transitions of a group, each of which spends what the one before created. */
export function chainedBy(group: TestGroup): () => Endorsed {
  let inputs: readonly StateId[] = [];
  return () => {
    const next = group.endorse({ inputs });
    inputs = outputStateIds(next.transition);
    return next;
  };
}

/** A client that writes down what it is asked and what it answers. */
export function recording(client: ChainClient, lines: string[]): ChainClient {
  return {
    ...client,
    request: async (method, params) => {
      const asked = `${method} ${JSON.stringify(params)}`;
      lines.push(`? ${asked}`);
      try {
        const answer = await client.request(method, params);
        lines.push(`= ${asked} ${JSON.stringify(answer)}`);
        return answer;
      } catch (error) {
        lines.push(`! ${asked} ${String(error)}`);
        throw error;
      }
    },
  };
}
