import { expect } from "chai";

import type { Member } from "../../src/cluster/member.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import { collectGarbage } from "../helpers/garbage.ts";
import { type LiarRig, openLiarRig } from "../helpers/lies/rig.ts";
import { randomFrom } from "../helpers/random.ts";

const SEED = 13;
/** Lies that every honest node hears. */
const LIES = 5_000;
/** Of them, those that come together; and how long the liar is silent then. */
const BURST = 10;
const PAUSE_MS = 20;
const ROUNDS = 4;
/** Rounds after which memory is measured for the first time. */
const WARM_UP = 1;
const HEAP_GROWTH_MAX = 64_000_000;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A wish of an honest user, which nothing but a liar could spoil. */
type Wish = (member: Member) => Promise<{
  readonly what: string;
  readonly end: () => Promise<string>;
}>;

/** Groups of three domains in which the liar is a member, and what honest users wish for in them. */
async function openGroups(rig: LiarRig): Promise<{
  readonly groups: readonly NodeGroup[];
  readonly wishes: readonly { readonly at: string; readonly wish: Wish }[];
}> {
  const endorsers = "alice,bob,carol";
  const token = await rig.createGroup({
    domain: "group-token",
    threshold: 3,
    configuration: {},
  });
  const coins = await rig.createGroup({
    domain: "owned-coins",
    threshold: 2,
    configuration: { witnesses: endorsers, issuers: "mint@alice" },
  });
  const notarised = await rig.createGroup({
    domain: "notarised-token",
    threshold: 2,
    configuration: { notaries: endorsers },
  });
  const send =
    (
      group: NodeGroup,
      call: Omit<Parameters<Member["send"]>[0], "group">,
    ): Wish =>
    async (member) => {
      const { address } = group;
      const id = await member.send({ group: address, ...call });
      const what = `${call.function} of ${member.name}`;
      return {
        what,
        end: async () => {
          const receipt = await member.receipt(address, id);
          return receipt.type === "Reverted"
            ? `Reverted: ${receipt.reason}`
            : receipt.type;
        },
      };
    };
  const data = "0x";
  const [alice] = rig.honest;
  if (alice === undefined) throw new Error("Nobody is honest.");
  for (const wish of [
    send(token, {
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1000" },
    }),
    send(coins, {
      function: "issue(string,uint256)",
      args: { to: "till@bob", amount: "1000" },
      from: "mint",
    }),
    send(notarised, {
      function: "mint(string,uint256,bytes)",
      args: { to: "till@carol", amount: "1000", data },
      from: "mint",
    }),
  ])
    expect(await (await wish(alice)).end()).to.equal("Confirmed");
  const pay = send(token, {
    function: "transfer(string,string,uint256)",
    args: { from: "pot", to: "shop", amount: "1" },
  });
  return {
    groups: [token, coins, notarised],
    wishes: [
      ...rig.honest.map(({ name: at }) => ({ at, wish: pay })),
      {
        at: "bob",
        wish: send(coins, {
          function: "pay(string,uint256)",
          args: { to: "shop@alice", amount: "1" },
          from: "till",
        }),
      },
      {
        at: "carol",
        wish: send(notarised, {
          function: "transfer(string,uint256,bytes)",
          args: { to: "shop@bob", amount: "1", data },
          from: "till",
        }),
      },
    ],
  };
}

describe("A group with a member that lies", function () {
  this.timeout(300_000);
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  let rig: LiarRig;
  beforeEach(async () => {
    process.on("unhandledRejection", onUnhandled);
    rig = await openLiarRig(randomFrom(SEED));
  });
  afterEach(async () => {
    process.off("unhandledRejection", onUnhandled);
    await rig.stop();
  });

  it(`confirms all that honest users want, while it hears lies of every kind (seed ${SEED})`, async () => {
    const { groups, wishes } = await openGroups(rig);
    const liar = rig.liarIn(groups);
    let told = 0;
    const over = new AbortController();
    // It goes on until the last honest intent has ended.
    const lying = (async () => {
      while (!over.signal.aborted) {
        for (let n = 0; n < BURST; n++) {
          const lie = liar.lie();
          for (const { name } of rig.honest) rig.tell(name, lie);
        }
        told += BURST;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    })();
    const memberAt = (at: string): Member => {
      const member = rig.honest.find(({ name }) => name === at);
      if (member === undefined) throw new Error(`${at} is not honest.`);
      return member;
    };
    let heapBefore = 0;
    const endings: string[] = [];
    for (let round = 0; round < ROUNDS || told < LIES; round++) {
      const sent = await Promise.all(
        wishes.map(async ({ at, wish }) => await wish(memberAt(at))),
      );
      for (const { what, end } of sent) endings.push(`${what}: ${await end()}`);
      if (round === WARM_UP) heapBefore = heapUsed();
    }
    const growth = heapUsed() - heapBefore;
    over.abort();
    await lying;

    expect(endings.filter((end) => !end.endsWith(": Confirmed")))
      .to //
      .deep.equal([]);
    expect(rig.fatal).to.deep.equal([]);
    expect(unhandled).to.deep.equal([]);
    expect(growth).to.be.lessThan(HEAP_GROWTH_MAX);
    expect(({} as Record<string, unknown>)["polluted"]).to.equal(undefined);
    for (const { node } of rig.honest)
      for (const reason of [
        "malformed",
        "version",
        "unknown",
        "unknown group",
        "endorsement of nothing",
        "key of nobody",
      ])
        expect(node.status().dropped[reason], reason).to.be.greaterThan(0);
  });
});
