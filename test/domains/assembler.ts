import { expect } from "chai";

import { ledgerDomain, parseAddress } from "../../src/ledger/index.ts";
import type { StateId } from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { AssembleOutcome } from "../../src/protocol/messages.ts";
import type { SpeculativeView } from "../../src/protocol/transition.ts";
import { assemble } from "../../src/domains/assembler.ts";
import type { Domain, PublicCall } from "../../src/domains/domain.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import { stepHashIn } from "../../src/domains/states/arrange.ts";
import { StateBook } from "../../src/domains/states/book.ts";
import { createState } from "../../src/domains/states/content.ts";
import { openStore } from "../../src/store/store.ts";
import {
  groupAt,
  intentId,
  ledgerId,
  nodeName,
  withWritingTables,
  word,
} from "../helpers/stores.ts";

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
  const { states } = withWritingTables(openStore({ file: ":memory:" }));
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
  domain: Domain = groupToken,
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
      domain,
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

/** The same token, with calls that follow from what is spent. */
const calling = (
  callsOf: (inputs: readonly StateId[]) => readonly PublicCall[],
): Domain => ({
  ...groupToken,
  assemble: async (intent, view) => {
    const assembly = await groupToken.assemble(intent, view);
    return assembly.type === "assembled"
      ? { ...assembly, calls: callsOf(assembly.inputs) }
      : assembly;
  },
});

/** Why a step with these calls is reverted; undefined if it is assembled. */
async function burnAndCall(
  ...calls: readonly PublicCall[]
): Promise<string | undefined> {
  const [outcome] = await burn(
    [1],
    {},
    calling(() => calls),
  );
  return outcome?.type === "reverted" ? outcome.reason : undefined;
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

  it("reverts a step whose public calls do not fit one transaction", async () => {
    const call = { target: `0x${"11".repeat(20)}`, data: "0x", gasMin: 0 };
    const half = limits.callsGas / 2;
    const bytes = `0x${"00".repeat(limits.callDigits / 2)}`;
    expect(await burnAndCall(call, { ...call, gasMin: half })).to.equal(
      undefined,
    );
    expect(
      await burnAndCall(
        { ...call, gasMin: half },
        { ...call, gasMin: half + 1 },
      ),
    ).to.equal(
      `Its public calls ask for ${limits.callsGas + 1} gas, and ${limits.callsGas} is the most that fits a transaction. Call less at a time.`,
    );
    const long = { ...call, data: bytes };
    const most = Array.from(
      { length: limits.callsDigits / limits.callDigits },
      () => long,
    );
    expect(await burnAndCall(...most)).to.equal(undefined);
    expect(await burnAndCall(...most, { ...call, data: "0x00" })).to.match(
      /^Its public calls carry \d+ bytes, and \d+ is the most that fits a transaction\./,
    );
    expect(await burnAndCall({ ...call, data: `${bytes}00` })).to.equal(
      "A public call carries 8193 bytes, and 8192 is the most. Call with less.",
    );
  });

  it("postpones calls that are too large only on the coordinator's word", async () => {
    const call = { target: `0x${"11".repeat(20)}`, data: "0x" };
    const domain = calling((inputs) => [
      {
        ...call,
        gasMin: inputs.includes(onLedger.id) ? 1 : limits.callsGas + 1,
      },
    ]);
    const view = { spent: [onLedger.id], created: [coin(30)] };
    expect(typesOf(await burn([1], view, domain))).to.deep.equal(["postponed"]);
  });

  it("builds on what is in flight where the ledger alone reverts", async () => {
    expect(typesOf(await burn([11], { created: [coin(1)] }))).to.deep.equal([
      "assembled",
    ]);
  });
});
