import { expect } from "chai";

import type { AbiEntry } from "../../../src/domains/domain.ts";
import { notarisedToken } from "../../../src/domains/notarised-token/notarised-token.ts";
import { call, failureOf } from "../../helpers/rpc/client.ts";
import { runHere } from "../helpers/run.ts";

const domain = notarisedToken.name;
const ann = "ann@bob";
const cid = "cid@carol";
const data = "0x";

interface Group {
  readonly id: string;
  readonly contractAddress: string | null;
}

interface Receipt {
  readonly id: string;
  readonly success?: boolean;
  readonly failureMessage?: string;
}

/** An entry of the token's ABI, as users send it along. */
function entry(name: string): AbiEntry {
  const found = notarisedToken.abi.find((one) => one["name"] === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

/** Asks until there is an answer. */
async function until<Answer>(
  ask: () => Promise<Answer | null | undefined>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The group, as soon as a node takes part in it. */
async function createdGroup(url: string, id: string): Promise<Group> {
  const ask = async (): Promise<Group | null> =>
    await call(url, "pgroup_getGroupById", domain, id);
  return await until(async () => {
    const group = await ask();
    return group?.contractAddress === null ? undefined : group;
  });
}

/** A user of one node, over JSON-RPC. */
class User {
  readonly #url: string;
  readonly #from: string;
  readonly #group: Group;

  constructor(url: string, from: string, group: Group) {
    this.#url = url;
    this.#from = from;
    this.#group = group;
  }

  /** As a transaction of a group. */
  async send(name: string, input: unknown): Promise<string> {
    return await call(this.#url, "pgroup_sendTransaction", {
      domain,
      group: this.#group.id,
      from: this.#from,
      function: entry(name),
      input,
    });
  }

  /** As a transaction with an address. */
  async sendTo(name: string, input: unknown): Promise<string> {
    return await call(this.#url, "ptx_sendTransaction", {
      type: "private",
      domain,
      from: this.#from,
      to: this.#group.contractAddress,
      function: name,
      abi: notarisedToken.abi,
      data: input,
    });
  }

  async ask(name: string, input: unknown = {}): Promise<unknown> {
    return await call(this.#url, "pgroup_call", {
      domain,
      group: this.#group.id,
      from: this.#from,
      function: entry(name),
      input,
    });
  }

  async receipt(id: string): Promise<Receipt> {
    return await until(
      async () =>
        await call<Receipt | null>(this.#url, "ptx_getTransactionReceipt", id),
    );
  }

  async confirmed(id: string): Promise<void> {
    const { success, failureMessage } = await this.receipt(id);
    expect(success, failureMessage).to.equal(true);
  }

  async domainReceipt(id: string): Promise<unknown> {
    return await call(this.#url, "ptx_getDomainReceipt", domain, id);
  }

  async explain(id: string): Promise<string | null> {
    return await call(this.#url, "sequencer_explain", id);
  }

  async resume(id: string): Promise<unknown> {
    return await call(this.#url, "sequencer_resume", id);
  }
}

/** Runs three nodes for as long as the work takes. */
async function withNodes(
  work: (urls: ReadonlyMap<string, string>) => Promise<void>,
): Promise<void> {
  const urls = new Map<string, string>();
  let working = Promise.resolve();
  await runHere(
    { nodes: "3" },
    {
      onFact: (fact, interrupt) => {
        if (fact.type === "node") urls.set(fact.node, fact.url);
        if (fact.type !== "ready") return;
        working = work(urls);
        working.then(interrupt, interrupt);
      },
    },
  );
  await working;
}

describe("notarised-token over JSON-RPC", function () {
  this.timeout(60_000);

  it("is created, moved, locked, asked about and explained", async function () {
    await withNodes(async (urls) => {
      const [alice = "", bob = "", carol = ""] = urls.values();
      const newGroup = {
        domain,
        name: "deposits",
        members: ["clerk@alice", ann, cid],
        configuration: { notaries: "alice", symbol: "DEP", threshold: "1" },
      };
      const wrong = await failureOf(
        call(alice, "pgroup_createGroup", {
          ...newGroup,
          configuration: { notary: "alice" },
        }),
      );
      expect(wrong.message).to.include('no setting "notary" ("alice")');
      const { id } = await call<Group>(alice, "pgroup_createGroup", newGroup);
      for (const url of [bob, carol]) await createdGroup(url, id);
      const group = await createdGroup(alice, id);
      const clerk = new User(alice, "clerk", group);
      const anns = new User(bob, "ann", group);
      const cids = new User(carol, "cid", group);

      const refused = await failureOf(
        anns.send("mint", { to: ann, amount: 1, data }),
      );
      expect(refused.message).to.include("ann@bob may not mint");
      await clerk.confirmed(
        await clerk.send("mint", { to: ann, amount: 100, data: "0xabcd" }),
      );
      await balance(anns, ann, "100");
      const paying = await anns.sendTo("transfer", [cid, "30", "0x77"]);
      await anns.confirmed(paying);
      await balance(cids, cid, "30");
      expect(await anns.domainReceipt(paying)).to.deep.include({
        transfers: [{ from: ann, to: cid, amount: "0x1e" }],
        data: "0x77",
        sender: ann,
      });
      const stranger = await failureOf(anns.ask("balanceOf", { account: cid }));
      expect(stranger.message).to.include("bob does not see the coins of");
      expect(await cids.ask("symbol")).to.deep.equal({ "0": "DEP" });

      // A lock is found by what its receipt says.
      const locking = await anns.send("createLock", { amount: 50, data });
      await anns.confirmed(locking);
      const { lockInfo } = (await anns.domainReceipt(locking)) as {
        readonly lockInfo: { readonly lockId: string };
      };
      const { lockId } = lockInfo;
      await anns.confirmed(
        await anns.send("delegateLock", { lockId, delegate: cid, data }),
      );
      await until(async () => {
        const asked = cids.ask("lockOf", { lockId });
        return await asked.catch(() => undefined);
      });
      await cids.confirmed(
        await cids.send("unlock", {
          lockId,
          from: ann,
          recipients: [{ to: cid, amount: 45 }],
          data,
        }),
      );
      await balance(anns, ann, "25");
      await balance(cids, cid, "75");

      const much = { to: ann, amount: 80, data };
      const reverted = await cids.receipt(await cids.send("transfer", much));
      expect(reverted.failureMessage).to.include("has 75, and needs 80");
      const waiting = await cids.send("transferWhenFunded", much);
      await until(async () => {
        const why = await cids.explain(waiting);
        return why?.includes("has 75, and needs 80") === true ? why : undefined;
      });
      await anns.confirmed(
        await anns.send("transfer", { to: cid, amount: 5, data }),
      );
      await balance(cids, cid, "80");
      await cids.resume(waiting);
      await cids.confirmed(waiting);
      await balance(anns, ann, "100");
    });
  });
});

/** Resolves when a user's node has seen that so much is in an account. */
async function balance(
  user: User,
  account: string,
  expected: string,
): Promise<void> {
  await until(async () => {
    const { totalBalance } = (await user.ask("balanceOf", { account })) as {
      readonly totalBalance: string;
    };
    return totalBalance === expected ? true : undefined;
  });
}
