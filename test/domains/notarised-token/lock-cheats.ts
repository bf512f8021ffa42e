import {
  coin,
  lock,
  type Lock,
} from "../../../src/domains/notarised-token/states.ts";
import type { NewState } from "../../../src/domains/domain.ts";
import {
  asking,
  assembled,
  type Cheat,
  creating,
  oneState,
  testCheats,
} from "../../helpers/domains/cheats.ts";
import type { Play, PlayedStep } from "../../helpers/domains/play.ts";
import { nodeNamed } from "../../helpers/domains/states.ts";
import { aToken, fund, lockUp } from "../../helpers/domains/token.ts";

interface Scene {
  readonly play: Play;
  /** 60 of Ann. */
  readonly lockId: string;
  /** 5 of Ann, which Bob may unlock for himself, and only so. */
  readonly preparedId: string;
}

const data = "0x";
const from = "ann@ann";
const fiveToBob = [{ to: "bob@bob", amount: 5 }];

async function aScene(): Promise<Scene> {
  const play = aToken();
  await fund(play, "ann@ann", 100);
  const lockId = await lockUp(play, "ann@ann", 60);
  const preparedId = await lockUp(play, "ann@ann", 5);
  const id = { lockId: preparedId };
  await play.do("ann@ann", "prepareUnlock", {
    ...id,
    from,
    recipients: fiveToBob,
    unlockData: data,
    data,
  });
  await play.do("ann@ann", "delegateLock", {
    ...id,
    delegate: "bob@bob",
    data,
  });
  return { play, lockId, preparedId };
}

const unlock = async ({ play, lockId }: Scene): Promise<PlayedStep> => {
  const recipients = [{ to: "bob@bob", amount: 25 }];
  const args = { lockId, from, recipients, data };
  return await assembled(play, "ann@ann", "unlock", args);
};

const unlockPrepared = async ({
  play,
  preparedId: lockId,
}: Scene): Promise<PlayedStep> => {
  const args = { lockId, from, recipients: fiveToBob, data };
  return await assembled(play, "bob@bob", "unlock", args);
};

const delegate = async ({ play, lockId }: Scene): Promise<PlayedStep> => {
  const args = { lockId, delegate: "bob@bob", data };
  return await assembled(play, "ann@ann", "delegateLock", args);
};

const lockAll = async ({ play }: Scene): Promise<PlayedStep> =>
  await assembled(play, "ann@ann", "lock", { amount: 35, data });

/** The lock as it should be after it was delegated, but for some changes. */
const aLock = (lockId: string, changes: Partial<Lock> = {}): NewState =>
  lock({
    lockId,
    owner: "ann@ann",
    amount: 60n,
    delegate: "bob@bob",
    prepared: undefined,
    ...changes,
  });

const somethingElse = /^it creates something else than its intent says$/;
const otherInput = /^It spends something else than lock 0x/;

const cheats: readonly Cheat<Scene>[] = [
  {
    what: "a lock with the id of another",
    honest: lockAll,
    spoil: (step, { lockId }) =>
      creating(step, aLock(lockId, { amount: 35n, delegate: undefined })),
    reason: somethingElse,
  },
  {
    what: "a lock that holds more than was locked",
    honest: lockAll,
    spoil: (step) =>
      creating(
        step,
        aLock(step.intentId, { amount: 36n, delegate: undefined }),
      ),
    reason: somethingElse,
  },
  {
    what: "a lock of somebody else",
    honest: unlock,
    spoil: (step) => ({
      ...asking(step, { by: "bob@bob" }),
      sender: nodeNamed("bob"),
    }),
    reason: /^bob@bob has no say in lock 0x\w+: only ann@ann has\.$/,
  },
  {
    what: "a lock that its owner has delegated",
    honest: unlockPrepared,
    spoil: (step) => ({
      ...asking(step, { by: "ann@ann" }),
      sender: nodeNamed("ann"),
    }),
    reason: /^ann@ann has no say in lock 0x\w+: only bob@bob has\.$/,
  },
  {
    what: "recipients that were not prepared",
    honest: unlockPrepared,
    spoil: (step) => ({
      ...asking(step, { recipients: [{ to: "eve@bob", amount: "5" }] }),
      ...creating(step, coin("eve@bob", 5n)),
    }),
    reason: /^Lock 0x\w+ is prepared for other recipients/,
  },
  {
    what: "recipients that a delegate prepares himself",
    honest: unlockPrepared,
    spoil: (step) => asking(step, { type: "prepareUnlock", unlockData: "0x" }),
    reason: /^Only ann@ann prepares lock 0x\w+, and not bob@bob\.$/,
  },
  {
    what: "an owner who is none",
    honest: unlock,
    spoil: (step) => asking(step, { from: "bob@bob" }),
    reason: /^Lock 0x\w+ is of ann@ann, and not of bob@bob\.$/,
  },
  {
    what: "a lock of another id",
    honest: unlock,
    spoil: (_, { play, preparedId: label }) => ({
      inputs: [oneState(play, "bank", { schema: "lock", label })],
    }),
    reason: otherInput,
  },
  {
    what: "a coin besides the lock",
    honest: unlock,
    spoil: ({ inputs }, { play }) => ({
      inputs: [
        ...inputs,
        oneState(play, "bank", { schema: "coin", label: "ann@ann" }),
      ],
    }),
    reason: otherInput,
  },
  {
    what: "no lock",
    honest: unlock,
    spoil: () => ({ inputs: [] }),
    reason: otherInput,
  },
  {
    what: "a lock that pays more than it holds",
    honest: unlock,
    spoil: (step) =>
      asking(step, { recipients: [{ to: "bob@bob", amount: "61" }] }),
    reason: /^Lock 0x\w+ has 60, and 61 is asked for\.$/,
  },
  {
    what: "a lock whose rest goes elsewhere",
    honest: unlock,
    spoil: (step) => creating(step, coin("bob@bob", 25n), coin("bob@bob", 35n)),
    reason: somethingElse,
  },
  ...[
    { owner: "bob@bob" },
    { amount: 1n },
    { amount: 61n },
    { delegate: "eve@ann" },
    { delegate: undefined },
    { prepared: { recipients: [], data } },
    { lockId: `0x${"11".repeat(32)}` },
  ].map((changes): Cheat<Scene> => ({
    what: `another ${Object.keys(changes).join()} (${String(Object.values(changes)[0])}) of a lock on the way`,
    honest: delegate,
    spoil: (step, { lockId }) => creating(step, aLock(lockId, changes)),
    reason: somethingElse,
  })),
  {
    what: "a lock that turns into a coin on the way",
    honest: delegate,
    spoil: (step) => creating(step, coin("bob@bob", 60n)),
    reason: somethingElse,
  },
];

describe("notarised-token: cheats with locks", function () {
  testCheats(aScene, cheats);
});
