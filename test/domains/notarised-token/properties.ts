import { expect } from "chai";
import fc from "fast-check";

import type { DomainState } from "../../../src/domains/domain.ts";
import {
  readCoin,
  readLock,
  readNote,
} from "../../../src/domains/notarised-token/states.ts";
import type { Play, PlayedStep } from "../../helpers/domains/play.ts";
import { read } from "../../helpers/domains/states.ts";
import { aToken, supplyOf } from "../../helpers/domains/token.ts";
import {
  accounts,
  type Wish,
  wishes,
  withLock,
} from "../../helpers/domains/token-workload.ts";

/** Plays all wishes; what is done is told to `each`, with all that there was before. */
async function playAll(
  all: readonly Wish[],
  each: (
    play: Play,
    step: PlayedStep | undefined,
    before: readonly DomainState[],
  ) => void,
): Promise<Play> {
  const play = aToken();
  const locks: string[] = [];
  for (const one of all) {
    const { who, name, args } = withLock(one, locks);
    const before = play.unspent();
    const outcome = await play.send(who, name, args);
    // What an honest node assembles, honest endorsers endorse.
    expect(outcome.type).to.not.equal("refused");
    const step = outcome.type === "done" ? outcome.step : undefined;
    if (step !== undefined && name === "lock") locks.push(step.intentId);
    each(play, step, before);
  }
  return play;
}

/** What an account owns, in coins and in locks. */
function wealthOf(states: readonly DomainState[], owner: string): bigint {
  return states
    .map((state) => readCoin(state) ?? readLock(state))
    .reduce((sum, one) => sum + (one?.owner === owner ? one.amount : 0n), 0n);
}

describe("notarised-token: properties", function () {
  this.timeout(60_000);

  it("makes and loses money only where somebody mints and burns", async function () {
    await fc.assert(
      fc.asyncProperty(wishes, async (all) => {
        let supply = 0n;
        await playAll(all, (play, step) => {
          const [info] = step?.infos.map(read) ?? [];
          const { transfers = [] } = (info && readNote(info)) ?? {};
          for (const { from, to, amount } of transfers) {
            if (from === undefined) supply += BigInt(amount);
            if (to === undefined) supply -= BigInt(amount);
          }
          expect(supplyOf(play)).to.equal(supply);
        });
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  it("changes what somebody owns by what the notes say, and by nothing else", async function () {
    await fc.assert(
      fc.asyncProperty(wishes, async (all) => {
        await playAll(all, (play, step, before) => {
          const [info] = step?.infos.map(read) ?? [];
          const { transfers = [] } = (info && readNote(info)) ?? {};
          for (const owner of accounts) {
            const moved = transfers.reduce(
              (sum, { from, to, amount }) =>
                sum +
                (to === owner ? BigInt(amount) : 0n) -
                (from === owner ? BigInt(amount) : 0n),
              0n,
            );
            expect(wealthOf(play.unspent(), owner)).to.equal(
              wealthOf(before, owner) + moved,
            );
          }
        });
      }),
      { seed: 2, numRuns: 20 },
    );
  });

  it("takes money from nobody who did not ask, or give a lock away", async function () {
    await fc.assert(
      fc.asyncProperty(wishes, async (all) => {
        await playAll(all, (_, step, before) => {
          if (step === undefined) return;
          const { by } = JSON.parse(step.payload) as { readonly by: string };
          expect(by.split("@")[1]).to.equal(step.sender);
          for (const id of step.inputs) {
            const spent = before.find((state) => state.id === id);
            const owned = spent && (readLock(spent) ?? readCoin(spent));
            const delegate =
              owned && "delegate" in owned ? owned.delegate : undefined;
            expect(delegate ?? owned?.owner).to.equal(by);
          }
        });
      }),
      { seed: 3, numRuns: 20 },
    );
  });

  it("never takes the same state for two intents that touch nothing in common", async function () {
    const funds = accounts.map((to) => ({
      who: "till@bank",
      name: "mint",
      args: { to, amount: 1_000, data: "0x" },
    }));
    let pairs = 0;
    await fc.assert(
      fc.asyncProperty(wishes, wishes, async (past, future) => {
        const locks: string[] = [];
        const play = await playAll([...funds, ...past], (_, step) => {
          const [first] = step?.outputs.map(read) ?? [];
          if (step !== undefined && first?.schema === "lock")
            locks.push(first.label);
        });
        const assembled = [];
        for (const one of future) {
          const { who, name, args } = withLock(one, locks);
          const { touches } = play.check(who, name, args);
          const step = await play.assemble(who, name, args);
          if (step.type === "assembled") assembled.push({ touches, step });
        }
        for (const a of assembled)
          for (const b of assembled) {
            const isDisjoint =
              a.touches?.some((name) => b.touches?.includes(name)) === false;
            if (!isDisjoint) continue;
            const { inputs } = b.step;
            expect(
              a.step.inputs.filter((id) => inputs.includes(id)),
            ).to.deep.equal([]);
            if (a.step.inputs.length > 0 && inputs.length > 0) pairs += 1;
          }
      }),
      { seed: 4, numRuns: 40 },
    );
    expect(pairs).to.be.greaterThan(100);
  });
});
