import { expect } from "chai";
import { network } from "hardhat";
import type { ClusterGroup, RunningCluster } from "hardhat-sequencer";
import type { Assembly, Domain } from "hardhat-sequencer/domain";

import { auction } from "../domains/auction.ts";

type Assembled = Extract<Assembly, { readonly type: "assembled" }>;
type Cheat = (step: Assembled) => Partial<Assembled>;

let cheat: Cheat = () => ({});

/** The same domain, but senders change what they assembled. Endorsers are honest. */
const cheaters: Domain = {
  ...auction,
  assemble: async (intent, view) => {
    const step = await auction.assemble(intent, view);
    return step.type === "assembled" ? { ...step, ...cheat(step) } : step;
  },
};

describe("an auction among cheaters", function () {
  let connection: Awaited<ReturnType<typeof network.create>>;
  let cluster: RunningCluster;
  let group: ClusterGroup;

  before(async function () {
    connection = await network.create();
    cluster = await connection.sequencer.start({
      domains: [cheaters],
      settings: { retriesMax: 0 },
    });
    group = await cluster.createGroup({
      domain: "auction",
      threshold: 2,
      configuration: { houses: "north,south" },
    });
  });

  afterEach(function () {
    cheat = () => ({});
  });

  after(async function () {
    await connection.close();
  });

  async function done(
    node: string,
    functionName: string,
    args: Readonly<Record<string, string | bigint>> = {},
  ): Promise<string> {
    const intent = await group.send(node, functionName, args);
    await intent.confirmed();
    await cluster.synced();
    return intent.id;
  }

  /** What endorsers say to a cheat. */
  async function refusalOf(
    node: string,
    functionName: string,
    args: Readonly<Record<string, string | bigint>>,
    how: Cheat,
  ): Promise<string> {
    cheat = how;
    const intent = await group.send(node, functionName, args);
    const receipt = await intent.receipt();
    return receipt.type === "reverted" ? receipt.reason : receipt.type;
  }

  it("lets no seller leave out the highest bid", async function () {
    const lot = await done("alice", "open");
    await done("bob", "bid", { lot, amount: 10n });
    await done("carol", "bid", { lot, amount: 12n });
    const leaveOut: Cheat = ({ inputs }) => ({
      inputs: inputs.slice(0, 2),
      outputs: [
        { schema: "result", label: lot, data: { winner: "bob", price: "10" } },
      ],
    });
    expect(await refusalOf("alice", "close", { lot }, leaveOut)).to.equal(
      "Not endorsed: It does not spend all bids.",
    );
  });

  it("lets no bidder bid in the name of another, or without being counted", async function () {
    const lot = await done("alice", "open");
    const bid = { lot, amount: 10n };
    const inTheNameOfCarol: Cheat = ({ outputs }) => ({
      outputs: outputs.map(({ data, ...state }) =>
        state.schema === "bid"
          ? { ...state, data: { ...(data as object), bidder: "carol" } }
          : { ...state, data },
      ),
    });
    const uncounted: Cheat = ({ outputs }) => ({
      outputs: outputs.filter(({ schema }) => schema === "bid"),
    });
    for (const how of [inTheNameOfCarol, uncounted])
      expect(await refusalOf("bob", "bid", bid, how)).to.equal(
        "Not endorsed: It creates something else.",
      );
  });
});
