import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import type { AssembleOutcome } from "../../../src/protocol/messages.ts";
import type { SpeculativeView } from "../../../src/protocol/transition.ts";
import { assemble } from "../../../src/runtime/domains/assembler.ts";
import { groupToken } from "../../../src/runtime/domains/group-token.ts";
import { stepHashIn } from "../../../src/runtime/states/arrange.ts";
import { StateBook } from "../../../src/runtime/states/book.ts";
import { createState } from "../../../src/runtime/states/content.ts";
import { openStore } from "../../../src/runtime/store/store.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  nodeName,
  word,
} from "../../helpers/stores.ts";

const group = groupAt(1);
const ledger = ledgerDomain({ chainId: 1n, group: parseAddress(group) });

/** A state that nobody has seen: a coin of the pot. */
const coin = (amount: number) =>
  createState(
    {
      schema: "coin",
      label: "pot",
      data: { account: "pot", amount: `${amount}` },
    },
    { intentId: intentId(1), index: 0 },
  );

const onLedger = coin(10);

/** The ledger has one coin of ten. */
function aBook(): StateBook {
  const { states } = openStore({ file: ":memory:" });
  states.created(group, {
    ledgerId: ledgerId(1),
    block: 1,
    intentsHash: word(3),
    index: 0,
    isVacancy: false,
  });
  states.saveContent(group, {
    ...onLedger,
    ledgerId: ledgerId(1),
    schema: "coin",
    label: "pot",
  });
  return new StateBook({ group }, { states });
}

/** What comes of burning these amounts, one after the other, on top of what a coordinator says is in flight. */
async function burn(
  amounts: readonly number[],
  view: Partial<SpeculativeView> = {},
): Promise<AssembleOutcome[]> {
  const sender = nodeName("alice");
  return await assemble(
    {
      sender,
      intents: amounts.map((amount, n) => ({
        id: intentId(100 + n),
        laneSalt: "",
        payload: JSON.stringify({
          type: "burn",
          from: "pot",
          amount: `${amount}`,
        }),
        dependsOn: [],
        touches: undefined,
        isPrepareOnly: false,
      })),
      view: { created: [], spent: [], ...view },
      validUntil: 1_000,
    },
    {
      domain: groupToken,
      group: {
        address: group,
        members: [sender],
        endorsers: [sender],
        configuration: {},
      },
      book: aBook(),
      hashing: { stepHash: stepHashIn({ domain: ledger, epoch: 0n }) },
      signSteps: (hashes) => hashes.map(() => "signed"),
    },
  );
}

const typesOf = (outcomes: readonly AssembleOutcome[]): string[] =>
  outcomes.map(({ type }) => type);

describe("The assembler of a node", () => {
  it("postpones what reverts only on the coordinator's word", async () => {
    const spent = [onLedger.id];
    expect(await burn([6], { spent })).to.deep.equal([
      {
        type: "postponed",
        id: intentId(100),
        reason: '"pot" has 0, and 6 is asked for.',
      },
    ]);
  });

  it("postpones what reverts only on top of an intent that is not on the ledger", async () => {
    expect(typesOf(await burn([6, 6]))).to.deep.equal([
      "assembled",
      "postponed",
    ]);
  });

  it("reverts what the ledger alone reverts, with what the ledger says", async () => {
    const spent = [onLedger.id];
    expect(await burn([11], { spent })).to.deep.equal([
      {
        type: "reverted",
        id: intentId(100),
        reason: '"pot" has 10, and 11 is asked for.',
      },
    ]);
  });

  it("builds on what is in flight where the ledger alone reverts", async () => {
    expect(typesOf(await burn([11], { created: [coin(1)] }))).to.deep.equal([
      "assembled",
    ]);
  });
});
