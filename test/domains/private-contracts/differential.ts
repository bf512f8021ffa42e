import { expect } from "chai";

import { toBytes } from "../../../src/ledger/index.ts";
import { DomainRefusal } from "../../../src/domains/domain.ts";
import { readOptions } from "../../../src/domains/private-contracts/options.ts";
import { reasonOf } from "../../../src/domains/private-contracts/revert-reason.ts";
import {
  addressOf,
  type Compiled,
  compiled,
  deploy,
  openContracts,
  type PlayedContract,
  receiptOf,
} from "../../helpers/domains/private-contracts.ts";
import type { PlayedGroup } from "../../helpers/domains/played-group.ts";
import { randomCall } from "../../helpers/domains/random-calls.ts";
import { type Twin, TwinChain } from "../../helpers/domains/twin-chain.ts";
import { randomFrom } from "../../helpers/random.ts";

const names = ["alice", "bob", "carol", "clerk@carol"] as const;

/** A contract in a group and on a chain, at the same address. */
class TwinContract {
  readonly #group: PlayedGroup;
  readonly #chain: TwinChain;
  readonly #contract: PlayedContract;

  constructor(
    contract: PlayedContract,
    ports: { readonly group: PlayedGroup; readonly chain: TwinChain },
  ) {
    this.#contract = contract;
    this.#group = ports.group;
    this.#chain = ports.chain;
  }

  get address(): string {
    return this.#contract.address;
  }

  /** Does it here and there, and compares everything. Gives what it came to. */
  async send(
    who: string,
    name: string,
    args: readonly unknown[],
  ): Promise<Twin["type"]> {
    const { abi, address: to } = this.#contract;
    const from = await addressOf(this.#group, fullName(who));
    const data = abi.encodeFunctionData(name, args);
    const answer = await this.#contract
      .callRaw(who, data)
      .catch((error: unknown) => {
        if (error instanceof DomainRefusal) return error.message;
        throw error;
      });
    const ended = await this.#contract.send(who, name, args);
    const twin = await this.#chain.send({ from, to, data });
    if (twin.type === "failed") {
      const reason = reasonOf(
        { type: "failed", error: "revert", returned: toBytes(twin.data) },
        readOptions(this.#group.group),
      );
      expect(ended).to.deep.equal({ type: "reverted", reason });
      expect(answer).to.equal(reason);
    } else {
      const { logs, gasUsed } = receiptOf(ended).receipt;
      expect(answer).to.equal(twin.returned);
      expect(
        logs.map(({ address, topics, data: content }) => ({
          address,
          topics,
          data: content,
        })),
      ).to.deep.equal(twin.logs);
      expect(BigInt(gasUsed)).to.equal(twin.gasUsed);
    }
    return twin.type;
  }
}

async function deployTwice(
  { abi, bytecode }: Compiled,
  args: readonly unknown[],
  ports: { readonly group: PlayedGroup; readonly chain: TwinChain },
): Promise<TwinContract> {
  const contract = await deploy(ports.group, "alice", { abi, bytecode }, args);
  const from = await addressOf(ports.group, "alice@alice");
  const data = bytecode + abi.encodeDeploy(args).slice(2);
  const twin = await ports.chain.send({ from, to: undefined, data });
  expect(twin).to.include({ type: "done", created: contract.address });
  return new TwinContract(contract, ports);
}

function fullName(who: string): string {
  return who.includes("@") ? who : `${who}@${who}`;
}

/** Everything that is stored in a group, compared with the chain. Gives how many slots that are. */
async function compareStorage(
  group: PlayedGroup,
  chain: TwinChain,
): Promise<number> {
  let compared = 0;
  for (const { schema, label, data } of group.ledger.all()) {
    if (schema !== "page") continue;
    const [address = "", storage] = label.split("/");
    const [account] = group.ledger.find("account", address);
    const { slots } = data as { readonly slots: Record<string, string> };
    // What an account lost is still a state, and nobody's.
    const current = account?.data as { storage: number } | undefined;
    if (current?.storage !== Number(storage)) continue;
    for (const [slot, value] of Object.entries(slots)) {
      expect(BigInt(value)).to.equal(await chain.storageAt(address, slot));
      compared += 1;
    }
  }
  return compared;
}

describe("Private contracts and a chain", function () {
  this.timeout(120_000);

  for (const [evmVersion, calls, seed] of [
    ["shanghai", 250, 1],
    ["cancun", 150, 2],
    ["prague", 100, 3],
  ] as const)
    it(`come to the same in ${calls} random calls by the rules of ${evmVersion} (seed ${seed})`, async () => {
      const group = await openContracts({ configuration: { evmVersion } });
      const chain = await TwinChain.open(evmVersion);
      const ports = { group, chain };
      const contracts = {
        coin: await deployTwice(await compiled("Coin"), [1_000n], ports),
        workshop: await deployTwice(await compiled("Workshop"), [], ports),
      };
      const users = await Promise.all(
        names.map((who) => addressOf(group, fullName(who))),
      );
      const random = randomFrom(seed);
      const scene = { users, workshop: contracts.workshop.address };
      const ends = { done: 0, failed: 0 };
      for (let i = 0; i < calls; i++) {
        const { contract, name, args } = randomCall(random, scene);
        const type = await contracts[contract].send(
          random.pick(names),
          name,
          args,
        );
        ends[type] += 1;
      }
      // Both happen often, or it would show little.
      expect(ends.done).to.be.greaterThan(calls / 4);
      expect(ends.failed).to.be.greaterThan(calls / 8);
      expect(await compareStorage(group, chain)).to.be.greaterThan(30);
    });
});
