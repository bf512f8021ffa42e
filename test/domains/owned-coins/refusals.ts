import { expect } from "chai";

import { DomainRefusal } from "../../../src/domains/domain.ts";
import { ownedCoins } from "../../../src/domains/owned-coins/owned-coins.ts";
import { Play } from "../../helpers/domains/play.ts";
import { nodeNamed } from "../../helpers/domains/states.ts";

const members = ["bank", "shop", "home"];
const alice = "alice@home";

function aPlay(configuration: Readonly<Record<string, string>> = {}): Play {
  return new Play(ownedCoins, { members, configuration });
}

async function refusalOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof DomainRefusal) return error.message;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("owned-coins: refusals", function () {
  it("counts all members as witnesses unless some are named", function () {
    expect(aPlay().group.endorsers).to.deep.equal(members);
    const { group } = aPlay({ witnesses: " shop , bank " });
    expect(group.endorsers).to.deep.equal(["shop", "bank"]);
  });

  it("refuses settings that make no sense", async function () {
    const reasons: readonly [Readonly<Record<string, string>>, string][] = [
      [{ colour: "red" }, 'no setting "colour"'],
      [{ __proto__x: "" }, 'no setting "__proto__x"'],
      [{ witnesses: "" }, 'witness "" is no member'],
      [{ witnesses: "bank,moon" }, 'witness "moon" is no member'],
      [{ witnesses: "bank,shop,bank" }, '"bank" stands twice in "witnesses"'],
      [{ issuers: "" }, 'issuer "" is nobody'],
      [{ issuers: "bank" }, 'issuer "bank" is nobody'],
      [{ issuers: "mint@moon" }, 'issuer "mint@moon" is nobody'],
      [{ issuers: "a@bank,a@bank" }, '"a@bank" stands twice in "issuers"'],
    ];
    for (const [configuration, reason] of reasons)
      expect(await refusalOf(() => aPlay(configuration))).to.include(reason);
  });

  it("lets everybody at the first member issue unless issuers are named", async function () {
    const issue = { to: alice, amount: 1 };
    const open = aPlay();
    await open.do("anybody@bank", "issue", issue);
    expect(await refusalOf(() => open.check(alice, "issue", issue))).to.equal(
      `"${alice}" may not issue coins of this group. Issuers are: all of bank.`,
    );
    const closed = aPlay({ issuers: `${alice},mint@shop` });
    await closed.do(alice, "issue", issue);
    await closed.do("mint@shop", "issue", issue);
    for (const who of ["anybody@bank", "anybody@shop", "anybody@home"])
      expect(
        await refusalOf(() => closed.check(who, "issue", issue)),
      ).to.include(`Issuers are: ${alice}, mint@shop.`);
  });

  it("refuses arguments that make no sense, with the value", async function () {
    const play = aPlay();
    const pay = async (to: string, amount: string) =>
      await refusalOf(() => play.check(alice, "pay", { to, amount }));
    expect(await pay("bob@shop", "0")).to.include(
      'amount: an amount is a whole number from 1 to 2^128 - 1, but is "0"',
    );
    expect(await pay("bob@shop", (2n ** 128n).toString())).to.include(
      "2^128 - 1",
    );
    for (const to of ["bob", "@shop", "bob@", "bob@shop@home", "b b@shop"])
      expect(await pay(to, "1")).to.include(
        `to: an account is name@node, with a name of up to 63 characters, but is "${to}"`,
      );
    expect(await pay("bob@moon", "1")).to.equal(
      '"bob@moon" is nobody in the group. Write name@node with one of: bank, shop, home.',
    );
    expect(await pay(`${"b".repeat(64)}@shop`, "1")).to.include(
      "63 characters",
    );
  });

  it("refuses functions that it does not have", async function () {
    const { group } = aPlay();
    const call = { group, node: nodeNamed("home"), from: "alice", args: {} };
    for (const signature of ["balanceOf(string)", "pay()", "steal()", ""])
      expect(
        await refusalOf(() => ownedCoins.check({ ...call, signature })),
      ).to.equal(
        `Owned coins know no ${signature}. Call one of: issue(string,uint256), pay(string,uint256), redeem(uint256), merge().`,
      );
  });

  it("lets nobody ask in the name of another node", async function () {
    const { group } = aPlay();
    const ask = (from: string) => () =>
      ownedCoins.check({
        group,
        node: nodeNamed("home"),
        from,
        signature: "merge()",
        args: {},
      });
    expect(ask("alice@home")().touches).to.deep.equal([alice]);
    for (const from of ["bob@shop", "", "a@b@home", "-", "eth_address:0x00"])
      expect(await refusalOf(ask(from))).to.equal(
        `"${from}" is nobody on home. Ask as name@home.`,
      );
  });

  it("does not guess what it cannot see", async function () {
    const play = aPlay({ witnesses: "bank" });
    const ask = (who: string, account: string) => async () =>
      await play.query(who, "balanceOf", { account });
    expect(await refusalOf(ask("bob@shop", alice))).to.equal(
      `shop does not see the coins of "${alice}". Ask home, or a witness: bank.`,
    );
    const nothing = { balance: "0", coins: "0" };
    expect(await ask("anybody@bank", alice)()).to.deep.equal(nothing);
    for (const account of ["alice", "alice@moon", ""])
      expect(await refusalOf(ask(alice, account))).to.include(
        `"${account}" is nobody in the group.`,
      );
  });
});
