import { expect } from "chai";

import { parseAddress } from "../../src/ledger/ids.ts";
import { explainCause } from "../../src/node/causes.ts";
import { NodeTroubles } from "../../src/node/node-troubles.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { openStore } from "../../src/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { intent } from "../helpers/simulated-group.ts";
import { ledgerId, nodeName, word } from "../helpers/stores.ts";

describe("The explanation of an intent", () => {
  const around = {
    heardMsAgo: () => undefined,
    asked: () => [],
    troubles: () => [],
  };

  /** An intent that reverts while the content of a state is missing. */
  function postponed() {
    const store = openStore({ file: ":memory:" });
    const runner = lonelyRunner(lonelyGroup(1), {
      store,
      schedule: new GroupSchedule(0),
    });
    const wish = intent(1, "nothing");
    runner.handle({
      type: "IntentSubmitted",
      intent: wish,
      fulfilled: [],
      reverted: [],
    });
    const { transactions, postponed: waiting } = runner.sequencer.sender;
    // As if its assembly had reverted on what is known.
    for (const transaction of transactions.values()) waiting.add(transaction);
    const missing = new Map([
      [ledgerId(7), { ledgerId: ledgerId(7), intentsHash: word(3), index: 0 }],
    ]);
    const { sequencer, stored, group } = runner;
    return {
      id: wish.id,
      group: { sequencer, stored, group, book: { missing } },
    };
  }

  it("names the states without content, and who was asked", () => {
    const { id, group } = postponed();
    const asked = () => [nodeName("bob"), nodeName("carol")];
    expect(explainCause(group, id, { ...around, asked })).to.include(
      `This node has no content of 1 state on the ledger (${ledgerId(7)}); asked: bob, carol.`,
    );
    expect(explainCause(group, id, around)).to.include("asked: nobody yet.");
  });

  it("names the trouble with the chain, with accounts and with keys", () => {
    const { id, group } = postponed();
    const troubles = new NodeTroubles();
    const explained = (): string | undefined =>
      explainCause(group, id, {
        ...around,
        troubles: () => troubles.sentences(),
      });
    const before = explained();
    const payer = parseAddress(`0x${"11".repeat(20)}`);
    const all: readonly NodeFact[] = [
      { type: "ChainTrouble", reason: "eth_getLogs: no answer" },
      { type: "PayerTrouble", payer, reason: "no funds" },
      { type: "EndorserTrouble", reason: "it is locked" },
    ];
    for (const fact of all) {
      troubles.see(fact);
      expect(explained()).to.include("reason" in fact ? fact.reason : "");
    }
    expect(explained()).to.include(payer);
    troubles.see({ type: "ChainTrouble", reason: undefined });
    troubles.see({ type: "PayerTrouble", payer, reason: undefined });
    troubles.see({ type: "EndorserTrouble", reason: undefined });
    expect(explained()).to.equal(before);
  });
});
