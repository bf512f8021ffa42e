import { expect } from "chai";

import type { StateId } from "../../../src/protocol/ids.ts";
import { AMOUNT_MAX } from "../../../src/domains/notarised-token/limits.ts";
import { coin } from "../../../src/domains/notarised-token/states.ts";
import {
  asking,
  assembled,
  type Cheat,
  creating,
  noting,
  oneState,
  testCheats,
} from "../../helpers/domains/cheats.ts";
import type { Play, PlayedStep } from "../../helpers/domains/play.ts";
import { nodeNamed, read } from "../../helpers/domains/states.ts";
import { aToken, fund, lockUp } from "../../helpers/domains/token.ts";

interface Scene {
  readonly play: Play;
  readonly lockId: string;
}

/** Ann has 40 and a lock, Bob has 100. */
async function aScene(): Promise<Scene> {
  const play = aToken();
  await fund(play, "ann@ann", 100);
  await fund(play, "bob@bob", 100);
  return { play, lockId: await lockUp(play, "ann@ann", 60) };
}

const data = "0x";
const toBob = { to: "bob@bob", amount: 10, data };

/** Ann pays Bob 10. */
const honest = async ({ play }: Scene): Promise<PlayedStep> =>
  await assembled(play, "ann@ann", "transfer", toBob);

const mint = async ({ play }: Scene): Promise<PlayedStep> =>
  await assembled(play, "clerk@bank", "mint", toBob);

const bobsCoin = (play: Play): StateId =>
  oneState(play, "bank", { schema: "coin", label: "bob@bob" });

const paid = coin("bob@bob", 10n);
const change = coin("ann@ann", 30n);
const somethingElse = /^it creates something else than its intent says$/;
const nonsense = /^the intent makes no sense$/;
const otherNote = /^it notes something else$/;

const cheats: readonly Cheat<Scene>[] = [
  {
    what: "a node that speaks for a user of another",
    honest,
    spoil: () => ({ sender: nodeNamed("bob") }),
    reason: /^ann@ann is no identity of bob$/,
  },
  {
    what: "a node that asks as a user of another",
    honest,
    spoil: (step) => asking(step, { by: "bob@bob" }),
    reason: /^bob@bob is no identity of ann$/,
  },
  {
    what: "coins of somebody else",
    honest,
    spoil: (_, { play }) => ({ inputs: [bobsCoin(play)] }),
    reason: /^An input is no coin of ann@ann\.$/,
  },
  {
    what: "coins of another user of the same node",
    honest,
    spoil: (step) => asking(step, { by: "eve@ann" }),
    reason: /^An input is no coin of eve@ann\.$/,
  },
  {
    what: "a lock in place of a coin",
    honest,
    spoil: (_, { play, lockId: label }) => ({
      inputs: [oneState(play, "bank", { schema: "lock", label })],
    }),
    reason: /^An input is no coin of ann@ann\.$/,
  },
  {
    what: "no coins",
    honest,
    spoil: () => ({ inputs: [] }),
    reason: /^The coins are worth 0, and 10 is asked for\.$/,
  },
  {
    what: "a coin twice",
    honest,
    spoil: ({ inputs }) => ({ inputs: [...inputs, ...inputs] }),
    reason: /^spent twice$/,
  },
  ...[
    { what: "more for the recipient", outputs: [coin("bob@bob", 11n), change] },
    { what: "more change", outputs: [paid, coin("ann@ann", 31n)] },
    { what: "change for another", outputs: [paid, coin("eve@ann", 30n)] },
    { what: "no change", outputs: [paid] },
    { what: "nothing created", outputs: [] },
    { what: "a coin more", outputs: [paid, change, coin("ann@ann", 1n)] },
    { what: "a coin of 0", outputs: [paid, change, coin("ann@ann", 0n)] },
    {
      what: "a coin that is found elsewhere",
      outputs: [{ ...paid, label: "ann@ann" }, change],
    },
    {
      what: "a state of another kind",
      outputs: [{ ...paid, schema: "gold" }, change],
    },
    {
      what: "a coin with something written on it",
      outputs: [
        { ...paid, data: { owner: "bob@bob", amount: "10", colour: "red" } },
        change,
      ],
    },
  ].map(({ what, outputs }): Cheat<Scene> => ({
    what,
    honest,
    spoil: (step) => creating(step, ...outputs),
    reason: somethingElse,
  })),
  {
    what: "no note",
    honest,
    spoil: (step) => noting(step),
    reason: otherNote,
  },
  {
    what: "a note that lies",
    honest,
    spoil: (step) =>
      noting(step, {
        schema: "note",
        label: "ann@ann",
        data: { by: "ann@ann", transfers: [], data },
      }),
    reason: otherNote,
  },
  {
    what: "a note more",
    honest,
    spoil: (step) =>
      noting(step, ...step.infos.map(read), {
        schema: "note",
        label: "",
        data: null,
      }),
    reason: otherNote,
  },
  {
    what: "states that it reads",
    honest,
    spoil: (_, { play }) => ({ reads: [bobsCoin(play)] }),
    reason: /^a token reads nothing$/,
  },
  {
    what: "public calls",
    honest,
    spoil: () => ({
      calls: [{ target: `0x${"11".repeat(20)}`, data, gasMin: 0 }],
    }),
    reason: /^a token calls nothing$/,
  },
  {
    what: "an intent that is no JSON",
    honest,
    spoil: () => ({ payload: "{" }),
    reason: nonsense,
  },
  ...[
    { colour: "red" },
    { amount: "0" },
    { amount: "-5" },
    { amount: "010" },
    { amount: (AMOUNT_MAX + 1n).toString() },
    { type: "gift" },
    { to: "bob" },
  ].map((changes): Cheat<Scene> => ({
    what: `${JSON.stringify(changes).slice(0, 30)} in its intent`,
    honest,
    spoil: (step) => asking(step, changes),
    reason: nonsense,
  })),
  {
    what: "an account on no node of the group",
    honest,
    spoil: (step) => asking(step, { to: "bob@nowhere" }),
    reason: /^bob@nowhere is on no node of this group/,
  },
  {
    what: "money out of nothing",
    honest,
    spoil: (step) => asking(step, { type: "mint" }),
    reason: /^ann@ann may not mint/,
  },
  {
    what: "a mint that takes a coin away",
    honest: mint,
    spoil: (_, { play }) => ({ inputs: [bobsCoin(play)] }),
    reason: /^To mint is to spend nothing\.$/,
  },
];

describe("notarised-token: cheats with coins", function () {
  testCheats(aScene, cheats);

  it("endorses no step that spends too many coins", async function () {
    const play = aToken();
    await fund(play, "ann@ann", ...Array.from({ length: 17 }, () => 1));
    const coins = [...play.view("bank").find("coin", "ann@ann")];
    const step = await assembled(play, "ann@ann", "burn", { amount: 1, data });
    expect(
      await play.endorse({ ...step, inputs: coins.map(({ id }) => id) }),
    ).to.equal("It spends 17 coins, and 16 are the most.");
  });

  it("endorses no step that leaves more than fits a coin", async function () {
    const play = aToken();
    await fund(play, "bob@bob", AMOUNT_MAX, AMOUNT_MAX);
    const coins = [...play.view("bank").find("coin", "bob@bob")];
    const step = await assembled(play, "bob@bob", "burn", { amount: 1, data });
    expect(
      await play.endorse({ ...step, inputs: coins.map(({ id }) => id) }),
    ).to.equal("What is left does not fit a coin.");
  });

  it("endorses nothing that the token does not allow", async function () {
    const play = aToken({ allowBurn: "false", allowLock: "false" });
    await fund(play, "ann@ann", 10);
    const step = await assembled(play, "ann@ann", "transfer", toBob);
    for (const [type, reason] of [
      ["burn", "This token cannot be burned: allowBurn is false."],
      ["lock", "This token cannot be locked: allowLock is false."],
    ] as const) {
      const intent = { type, by: "ann@ann", data, amount: "10" };
      const payload = JSON.stringify(intent);
      expect(await play.endorse({ ...step, payload })).to.equal(reason);
      // A node that skips its own check does not get far.
      expect(await play.assemblePayload("ann", payload)).to.deep.equal({
        type: "reverted",
        reason,
      });
    }
  });
});
