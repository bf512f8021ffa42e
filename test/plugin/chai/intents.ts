import { AssertionError, expect } from "chai";

import hardhatSequencerChai from "../../../src/plugin/chai/index.ts";
import type {
  ClusterGroup,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import { aConnection, closeConnections, soon } from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";
import { messageOf } from "../helpers/assertions.ts";

describe("chai: intents", function () {
  this.timeout(60_000);
  let cluster: RunningCluster;
  let group: ClusterGroup;

  before(async function () {
    const connection = await aConnection({ plugins: [hardhatSequencerChai] });
    cluster = await connection.sequencer.start({ nodes: 2, settings: soon });
    group = await cluster.createGroup({ domain: "group-token" });
    const mint = group.send("alice", "mint", { to: "pot", amount: 10n });
    await expect(mint).to.be.confirmed;
  });
  after(closeConnections);

  const overdraw = async () =>
    await group.send("bob", "burn", { from: "pot", amount: 51n });
  const reason = '"pot" has 10, and 51 is asked for.';

  it("are confirmed, or not", async function () {
    const pay = { from: "pot", to: "shop", amount: 1n };
    const intent = await group.send("alice", "transfer", pay);
    await expect(intent).to.be.confirmed;
    await expect(await intent.receipt()).to.be.confirmed;
    await expect(overdraw()).not.to.be.confirmed;
    expect(await messageOf(() => expect(intent).not.to.be.confirmed)).to.equal(
      `Expected intent ${intent.id} of alice not to be confirmed, but it was.`,
    );
    const failed = await overdraw();
    expect(await messageOf(() => expect(failed).to.be.confirmed)).to.equal(
      `Expected intent ${failed.id} of bob to be confirmed, but it reverted: ${reason.replace("10", "9")}`,
    );
  });

  it("revert with a reason, as a text or by a pattern", async function () {
    const intent = await group.send("bob", "burn", { from: "x", amount: 1n });
    await expect(intent).to.be.revertedWithReason(
      '"x" has 0, and 1 is asked for.',
    );
    await expect(intent).to.be.revertedWithReason(/has 0/g);
    await expect(intent).not.to.be.revertedWithReason("has 0");
    await expect(intent).not.to.be.revertedWithReason(/has 1/);
    const mint = await group.send("bob", "mint", { to: "y", amount: 1n });
    await expect(mint).not.to.be.revertedWithReason(/./);
    for (const [run, text] of [
      [() => expect(intent).to.be.revertedWithReason("x"), "has 0"],
      [
        () => expect(intent).not.to.be.revertedWithReason(/has/),
        "not to revert",
      ],
      [() => expect(mint).to.be.revertedWithReason(/x/), "it was confirmed"],
    ] as const)
      expect(await messageOf(run)).to.include(text);
  });

  it("are not mistaken for anything else", async function () {
    for (const value of [undefined, 1n, {}, [], "0x"])
      expect(await messageOf(() => expect(value).to.be.confirmed)).to.include(
        "Expected an intent",
      );
    expect(
      await messageOf(() => expect(1).to.be.revertedWithReason(/x/)),
    ).to.include("but got 1");
    const wrong: unknown = 5;
    expect(
      await messageOf(async () => {
        const matcher: unknown = Reflect.get(
          expect(overdraw()).to.be,
          "revertedWithReason",
        );
        if (typeof matcher === "function")
          await Reflect.apply(matcher, expect(1), [wrong]);
      }),
    ).to.include("takes a text or a regular expression, and not 5");
  });

  it("that are refused, or that nobody can wait for any more, stay errors", async function () {
    await expectError("ARGUMENTS_INVALID", async () => {
      await expect(group.send("alice", "mint", { to: "a" })).to.be.confirmed;
    });
    await expectError("REFUSED", async () => {
      const zero = group.send("alice", "mint", { to: "a", amount: 0n });
      await expect(zero).not.to.be.revertedWithReason(/./);
    });
    const failed = await overdraw();
    await expectError("INTENT_REVERTED", async () => {
      await expect(failed.confirmed()).not.to.be.confirmed;
    });
  });

  it("show the line of the assertion when they fail", async function () {
    const failed = await overdraw();
    const error: unknown = await (async () => {
      await expect(failed).to.be.confirmed;
    })().catch((problem: unknown) => problem);
    if (!(error instanceof AssertionError)) throw error;
    expect(error.stack.split("\n")[1]).to.include("chai/intents.ts");
  });

  it("have one matcher in each expectation", async function () {
    const failed = await overdraw();
    expect(
      await messageOf(() =>
        expect(failed).not.to.be.confirmed.and.to.be.revertedWithReason(reason),
      ),
    ).to.include("Write two expectations");
  });
});
