import { expect } from "chai";

import { parseIntentId } from "../../../src/protocol/ids.ts";
import type { DomainState } from "../../../src/domains/domain.ts";
import { notarisedToken } from "../../../src/domains/notarised-token/notarised-token.ts";
import { create, nodeNamed, read } from "../../helpers/domains/states.ts";
import {
  aToken,
  fund,
  lockUp,
  refusal,
  transfer,
} from "../../helpers/domains/token.ts";

const data = "0x";
const { group } = aToken();
const isSeenBy = (state: DomainState): string[] =>
  group.members.filter((member) =>
    notarisedToken.isEntitled(group, state, member),
  );

describe("notarised-token: who sees what", function () {
  it("shows a coin to the node of its owner", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    const { outputs } = await transfer(play, {
      from: "ann@ann",
      to: "bob@bob",
      amount: 1,
    });
    expect(outputs.map(read).map(isSeenBy)).to.deep.equal([["bob"], ["ann"]]);
  });

  it("shows a lock to the nodes of its owner and of its delegate", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    const lockId = await lockUp(play, "ann@ann", 10);
    const { outputs } = await play.do("ann@ann", "delegateLock", {
      lockId,
      delegate: "bob@bob",
      data,
    });
    expect(outputs.map(read).map(isSeenBy)).to.deep.equal([["ann", "bob"]]);
  });

  it("shows a note to the node of the one who asked", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 100);
    const { infos } = await transfer(play, {
      from: "ann@ann",
      to: "bob@bob",
      amount: 1,
    });
    expect(infos.map(read).map(isSeenBy)).to.deep.equal([["ann"]]);
  });

  it("shows nobody what it does not know", function () {
    const intentId = parseIntentId(`0x${"00".repeat(32)}`);
    if (intentId === undefined) throw new Error("No id.");
    const strange = [
      { schema: "coin", data: { owner: "ann@ann" } },
      { schema: "gold", data: { owner: "ann@ann", amount: "1" } },
      { schema: "lock", data: null },
      { schema: "note", data: [] },
    ].map((state) => ({ ...state, label: "ann@ann" }));
    for (const state of create(strange, intentId))
      expect(isSeenBy(read(state))).to.deep.equal([]);
  });

  it("answers the balance of an account only where its coins are seen", async function () {
    const play = aToken();
    await fund(play, "bob@bob", 7);
    const ask = async (who: string) =>
      await play.query(who, "balanceOf", { account: "bob@bob" });
    for (const who of ["x@bob", "x@bank", "x@audit"])
      expect(await ask(who)).to.include({ totalBalance: "7" });
    expect(await refusal(async () => await ask("ann@ann"))).to.equal(
      "ann does not see the coins of bob@bob. Ask its own node, or a notary: bank, audit.",
    );
  });

  it("refuses questions that make no sense", async function () {
    const play = aToken();
    const base = { ...play.call("ann@ann", "name") };
    const ask = (signature: string, args: object): unknown =>
      notarisedToken.query(
        { ...base, signature, args: { ...args } },
        play.view("ann"),
      );
    for (const [signature, args, said] of [
      ["balanceOf(string)", {}, "and not of null"],
      ["balanceOf(string)", { account: "bob" }, 'and not of "bob"'],
      ["lockOf(bytes32)", { lockId: "0x12" }, 'and not of "0x12"'],
      ["mint(string,uint256,bytes)", {}, "does not answer mint"],
    ] as const)
      expect(await refusal(() => ask(signature, args))).to.include(said);
    expect(
      await refusal(() => notarisedToken.check(play.call("ann@ann", "name"))),
    ).to.include("does not carry out name()");
  });

  it("lets a member assemble with nothing but what it may see", async function () {
    const play = aToken();
    await fund(play, "ann@ann", 10);
    await transfer(play, { from: "ann@ann", to: "bob@bob", amount: 4 });
    expect([...play.view("bob").find("coin", "ann@ann")]).to.deep.equal([]);
    await transfer(play, { from: "bob@bob", to: "eve@bob", amount: 3 });
    expect(group.endorsers).to.deep.equal(["bank", "audit"].map(nodeNamed));
  });
});
