import { expect } from "chai";

import { decodeBody } from "../../src/node/body.ts";
import { CoinCluster } from "../helpers/coin-cluster.ts";

const ISSUE = "issue(string,uint256)";
const PAY = "pay(string,uint256)";
const mint = "mint@alice";
const carol = "till@carol";
const dave = "till@dave";

/** Numbers that nobody meets by chance, and who may hear of them besides witnesses. */
const amounts = {
  carolsCoin: "918273645918273",
  davesCoin: "564738291564738",
  davesSavings: "112358132134558",
  carolPaysDave: "271828182845904",
  carolsChange: (918273645918273n - 271828182845904n).toString(),
  davePaysSavings: "314159265358979",
  davesChange: (564738291564738n - 314159265358979n).toString(),
  carolRedeems: "141421356237309",
} as const;

const heardOnlyBy: Readonly<Record<"carol" | "dave", readonly string[]>> = {
  // Of what they do themselves nobody has to tell them.
  carol: [amounts.carolsCoin],
  dave: [amounts.davesCoin, amounts.davesSavings, amounts.carolPaysDave],
};

describe("The network between owners of coins", function () {
  this.timeout(60_000);
  let coins: CoinCluster;

  before(async () => {
    coins = await CoinCluster.start();
    const issue = async (to: string, amount: string) => {
      await coins.do(mint, ISSUE, { to, amount });
    };
    await issue(carol, amounts.carolsCoin);
    await issue(dave, amounts.davesCoin);
    await issue("savings@dave", amounts.davesSavings);
    await coins.do(carol, PAY, { to: dave, amount: amounts.carolPaysDave });
    await coins.do(dave, PAY, {
      to: "savings@dave",
      amount: amounts.davePaysSavings,
    });
    await coins.do(carol, "redeem(uint256)", { amount: amounts.carolRedeems });
    // Whoever comes back asks for what he missed.
    const member = coins.cluster.member("carol");
    await member.crash();
    await coins.do(dave, "merge()", {});
    member.start();
    await coins.seen();
  });

  after(async () => {
    await coins.stop();
  });

  /** The amounts that a node was told, whatever they stood in. */
  function heardBy(name: string): readonly string[] {
    const told = coins.hub.toldTo(name).map(({ body }) => body);
    return Object.values(amounts).filter((amount) =>
      told.some((body) => body.includes(amount)),
    );
  }

  it("tells a witness everything", () => {
    expect(heardBy("bob")).to.have.members(Object.values(amounts));
  });

  it("tells owners the amounts of their own coins, and no others", () => {
    expect(heardBy("carol")).to.have.members(heardOnlyBy.carol);
    expect(heardBy("dave")).to.have.members(heardOnlyBy.dave);
  });

  it("tells owners the content of their own states, and of no others", () => {
    for (const owner of ["carol", "dave"]) {
      const labels = coins.hub
        .toldTo(owner)
        .flatMap(({ body }) => [...body.matchAll(/\\"label\\":\\"(.*?)\\"/g)])
        .map(([, label = ""]) => label);
      expect(labels.length).to.be.greaterThan(0);
      for (const label of labels) expect(label).to.match(RegExp(`@${owner}$`));
    }
  });

  /** What is in an envelope, with the names of all fields. */
  function readable(bodies: string): string {
    const read = bodies
      .split("\n")
      // An envelope that only answers another one has no body.
      .filter((body) => body !== "")
      .map((body) => decodeBody(body));
    for (const { type } of read) expect(type).to.equal("body");
    return JSON.stringify(read);
  }

  it("tells owners nothing of what others ask for", () => {
    for (const owner of ["carol", "dave"])
      for (const { body } of coins.hub.toldTo(owner))
        expect(readable(body)).to.not.include("payload");
    const asked = coins.hub
      .toldTo("bob")
      .filter(({ body }) => readable(body).includes("payload"));
    expect(new Set(asked.map(({ from }) => from))).to.deep.equal(
      new Set(["alice", "carol", "dave"]),
    );
  });

  it("has no owner talk to another owner about coins", () => {
    const between = coins.hub.letters.filter(
      ({ from, to }) =>
        ["carol", "dave"].includes(from) && ["carol", "dave"].includes(to),
    );
    for (const { body } of between) expect(body).to.not.match(/@(carol|dave)/);
  });
});
