import { expect } from "chai";

import { parseAddress } from "../../src/ledger/index.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { Troubles } from "../../src/node/trouble.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import {
  type HandmadeNodes,
  startHandmade,
} from "../helpers/handmade-nodes.ts";

const payer = parseAddress(`0x${"ab".repeat(20)}`);
const away = new ChainError("unreachable", "ECONNREFUSED");
const poor = new ChainError("refused", "insufficient funds: has 1 wei");

function aTeller(): { readonly troubles: Troubles; readonly told: string[] } {
  const told: string[] = [];
  const troubles = new Troubles((fact) => {
    if ("reason" in fact) told.push(`${fact.type}: ${fact.reason ?? "over"}`);
  });
  return { troubles, told };
}

describe("The troubles of a node", () => {
  it("with a chain that is away are not those of its payers", () => {
    const { troubles, told } = aTeller();
    troubles.seePayer(payer, away);
    troubles.seeChain(away);
    for (let i = 0; i < 20; i += 1) {
      troubles.seePayer(payer, away);
      troubles.seeChain(away);
    }
    troubles.seeChain(undefined);
    troubles.seePayer(payer, away);
    troubles.seePayer(payer, undefined);
    expect(told).to.deep.equal([
      "ChainTrouble: ECONNREFUSED",
      "ChainTrouble: over",
    ]);
  });

  it("are told if only a payer does not reach the chain", () => {
    const { troubles, told } = aTeller();
    for (let i = 0; i < 20; i += 1) troubles.seePayer(payer, away);
    troubles.seePayer(payer, undefined);
    expect(told).to.deep.equal([
      "PayerTrouble: ECONNREFUSED",
      "PayerTrouble: over",
    ]);
  });

  it("with money are told once, also if the chain goes and comes back meanwhile", () => {
    const { troubles, told } = aTeller();
    troubles.seePayer(payer, poor);
    troubles.seePayer(payer, poor);
    troubles.seePayer(payer, away);
    troubles.seePayer(
      payer,
      new ChainError("refused", "insufficient funds: has 2 wei"),
    );
    troubles.seePayer(payer, undefined);
    expect(told).to.deep.equal([
      "PayerTrouble: insufficient funds: has 1 wei",
      "PayerTrouble: over",
    ]);
  });
});

describe("A node whose chain goes and comes back", function () {
  this.timeout(60_000);
  let nodes: HandmadeNodes;

  afterEach(async () => {
    await nodes.stop();
  });

  it("tells it once, and says nothing of payers", async () => {
    let isAway = false;
    let unanswered = 0;
    let onUnanswered: () => void = () => undefined;
    const wrapClient = (client: ChainClient): ChainClient => ({
      ...client,
      request: async (method, params) => {
        if (!isAway) return await client.request(method, params);
        unanswered += 1;
        onUnanswered();
        throw away;
      },
    });
    nodes = await startHandmade(["alice"], { wrapClient });
    const { address } = await nodes.createGroup();
    const alice = nodes.member("alice");
    const mint = {
      group: address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    };
    // The past of the group is known by then; a node without it dispatches nothing.
    await alice.receipt(address, await alice.send(mint));
    const before = nodes.facts.length;
    isAway = true;
    const id = await alice.send(mint);
    await nodes.until(() =>
      nodes.facts.slice(before).some(([, { type }]) => type === "Dispatched"),
    );
    // The indexer and the payer have tried in vain, again and again.
    await new Promise<void>((resolve) => {
      onUnanswered = () => {
        if (unanswered >= 8) resolve();
      };
    });
    isAway = false;
    const { type } = await alice.receipt(address, id);
    expect(type).to.equal("Confirmed");
    const told = (): readonly unknown[] =>
      nodes.facts.flatMap(([, fact]: readonly [string, NodeFact]) =>
        fact.type === "ChainTrouble" || fact.type === "PayerTrouble"
          ? // It depends on the moment which request is the first that fails.
            [[fact.type, fact.reason?.replace(/^eth_\w+: /, "eth: ")]]
          : [],
      );
    // A block may be known before the look that found it is over.
    await nodes.until(() => told().length > 1);
    expect(told()).to.deep.equal([
      ["ChainTrouble", "eth: ECONNREFUSED"],
      ["ChainTrouble", undefined],
    ]);
  });
});
