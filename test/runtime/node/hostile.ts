import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect } from "chai";
import { SigningKey } from "ethers";
import hre from "hardhat";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import type { NodeName } from "../../../src/protocol/ids.ts";
import { digestOf } from "../../../src/protocol/outline.ts";
import { directoryOf, Member } from "../../../src/runtime/cluster/member.ts";
import type { UnsealedBundle } from "../../../src/protocol/transition.ts";
import { groupToken } from "../../../src/runtime/domains/group-token.ts";
import {
  createEndorser,
  createPayer,
} from "../../../src/runtime/keys/secp256k1.ts";
import { createWallet } from "../../../src/runtime/keys/wallet.ts";
import { openChainClient } from "../../../src/runtime/ledger/client/open.ts";
import { defaultSettings } from "../../../src/runtime/node/settings.ts";
import { hashingOf } from "../../../src/runtime/states/arrange.ts";
import type { Carrier } from "../../../src/runtime/transport/carrier.ts";
import { readEnvelope } from "../../../src/runtime/transport/envelope-bytes.ts";
import { Hub } from "../../../src/runtime/transport/in-process.ts";
import { keyOf, names } from "../../helpers/cluster.ts";
import { createLiar } from "../../helpers/liar.ts";
import { Members } from "../../helpers/members.ts";
import { noUsers } from "../../helpers/no-users.ts";
import { randomFrom } from "../../helpers/random.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import { nodeName } from "../../helpers/stores.ts";

const SEED = 11;
const LIES = 10_000;
const BATCH = 250;
/** Batches after which memory is measured for the first time. */
const WARM_UP = 8;
const HEAP_GROWTH_MAX = 64_000_000;
const endings = ["Confirmed", "Reverted"];

/** A hub in which somebody listens to everything. */
class TappedHub extends Hub {
  onBody: (body: string) => void = () => undefined;

  override connect(
    name: NodeName,
    arrive: (wire: Uint8Array) => void,
  ): Carrier {
    return super.connect(name, (wire) => {
      const parts = readEnvelope(wire);
      if (parts !== undefined && parts.header.from !== liarName)
        this.onBody(Buffer.from(parts.body).toString());
      arrive(wire);
    });
  }
}

const liarName = nodeName("dave");
const honest = names.filter((name) => name !== liarName);

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("A group with a member that lies", function () {
  this.timeout(120_000);

  it(`goes on after ${LIES} lies of every kind (seed ${SEED})`, async () => {
    const { provider } = await hre.network.create();
    const openClient = () => openChainClient(provider);
    const client = openClient();
    const { chainId, factory } = await openTestLedger(client);
    const dataDir = mkdtempSync(join(tmpdir(), "hostile-"));
    const keys = new Members(...names);
    const hub = new TappedHub();
    const random = randomFrom(SEED);
    const fatal: unknown[] = [];
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", onUnhandled);

    const directory = directoryOf(
      new Map(
        [...keys.registry].map(([name, publicKey]) => [
          name,
          { publicKey, endorser: createEndorser(keyOf(name)).address },
        ]),
      ),
    );
    const joined = new Set<string>();
    let onJoined = (): void => undefined;
    const members = honest.map(
      (name) =>
        new Member(
          {
            name: nodeName(name),
            chainId,
            factory,
            file: join(dataDir, `${name}.db`),
            settings: {
              ...defaultSettings,
              tickMs: 20,
              heartbeatMs: 100,
              requestMs: 60,
              requestMsMax: 500,
              stateMs: 500,
              suspicionMs: 2_000,
            },
          },
          {
            connect: (self, arrive) => hub.connect(self, arrive),
            client: openClient(),
            identity: keys.member(name).identity,
            registry: keys.registry,
            directory,
            endorser: createEndorser(keyOf(name)),
            wallet: createWallet(),
            domains: new Map([[groupToken.name, groupToken]]),
            payers: [createPayer(keyOf(name))],
            faucet: async () => await Promise.resolve(false),
            createUsers: () => noUsers,
            onFact: (from, fact) => {
              if (fact.type !== "GroupJoined") return;
              joined.add(from);
              onJoined();
            },
            onFatal: (_, error) => fatal.push(error),
          },
        ),
    );
    const [victim, ...others] = members;
    if (victim === undefined) throw new Error("Nobody is honest.");
    const dave = hub.join(keys.member(liarName), () => undefined);
    try {
      for (const member of members) member.start();
      const { address: group } = await victim.node.createGroup({
        id: random.bytes32(),
        name: "",
        domain: groupToken.name,
        members: names.map(nodeName),
        threshold: 3,
        configuration: {},
      });
      await new Promise<void>((resolve) => {
        onJoined = () => {
          if (joined.size === honest.length) resolve();
        };
        onJoined();
      });
      const mint = await victim.send({
        group,
        function: "mint(string,uint256)",
        args: { to: "pot", amount: "1000" },
      });
      expect((await victim.receipt(group, mint)).type).to.equal("Confirmed");

      const daveKey = new SigningKey(keyOf(liarName));
      const hashing = hashingOf({
        domain: ledgerDomain({ chainId, group: parseAddress(group) }),
        epoch: 0n,
      });
      const liar = createLiar(
        { group, names, self: liarName },
        {
          random,
          sign: (digest) => daveKey.sign(digest).serialized,
          digestOf: (bundle) => {
            try {
              return digestOf(hashing, bundle as UnsealedBundle);
            } catch {
              // It has not even the shape of a bundle.
              return undefined;
            }
          },
        },
      );
      hub.onBody = liar.hear;
      const pay = async (member: Member): Promise<() => Promise<string>> => {
        const id = await member.send({
          group,
          function: "transfer(string,string,uint256)",
          args: { from: "pot", to: "shop", amount: "1" },
        });
        return async () => (await member.receipt(group, id)).type;
      };

      const receipts: (() => Promise<string>)[] = [];
      let heapBefore = 0;
      for (let batch = 0; batch < LIES / BATCH; batch++) {
        for (let i = 0; i < BATCH; i++) {
          const lie = liar.lie();
          dave.send(victim.name, lie);
          if (i % 5 === 0) for (const { name } of others) dave.send(name, lie);
        }
        // Taken only after all that came before, so that nothing piles up; and a sign of life.
        for (const member of [victim, others[batch % others.length] ?? victim])
          receipts.push(await pay(member));
        if (batch === WARM_UP) heapBefore = heapUsed();
      }
      const growth = heapUsed() - heapBefore;

      const types = await Promise.all(receipts.map(async (get) => await get()));
      // A coordinator can make what is delegated to it revert: with a view in which there is nothing to spend, for example.
      for (const type of types) expect(type).to.be.oneOf(endings);

      const after = await Promise.all(members.map(pay));
      for (const ending of after) expect(await ending()).to.equal("Confirmed");
      expect(fatal).to.deep.equal([]);
      expect(unhandled).to.deep.equal([]);
      expect(growth).to.be.lessThan(HEAP_GROWTH_MAX);
      expect(({} as Record<string, unknown>)["polluted"]).to.equal(undefined);
      const { dropped } = victim.node.status();
      for (const reason of [
        "oversized",
        "malformed",
        "version",
        "unknown",
        "unknown group",
        "forged signature",
        "endorsement of nothing",
        "key of nobody",
      ])
        expect(dropped[reason], reason).to.be.greaterThan(0);
    } finally {
      process.off("unhandledRejection", onUnhandled);
      await dave.stop();
      await Promise.all(
        members.map(async (member) => {
          await member.stop();
        }),
      );
      hub.stop();
      rmSync(dataDir, { recursive: true });
    }
  });
});
