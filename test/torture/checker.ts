import { expect } from "chai";

import {
  aliceDisk,
  anEvidence,
  bobDisk,
  first,
  second,
} from "./builders/evidence.ts";
import { check } from "./harness/checker/check.ts";
import type {
  Answer,
  Evidence,
  Ledger,
  ProcessExit,
  Transition,
} from "./harness/evidence/evidence.ts";

const good = anEvidence();

function propertiesOf(parts: Partial<Evidence>): readonly string[] {
  return [
    ...new Set(check(anEvidence(parts)).map(({ property }) => property)),
  ].sort();
}

/** The same at all nodes, so that only the ledger itself is wrong. */
function onLedger(
  transitions: readonly Transition[],
  parts: Partial<Ledger> = {},
): Partial<Evidence> {
  const fulfilled = transitions.flatMap(({ intents, transitionHash }) =>
    intents.map((intent) => ({ intent, transitionHash })),
  );
  return {
    ledger: { ...good.ledger, transitions, ...parts },
    disks: [
      aliceDisk({ transitions, fulfilled }),
      bobDisk({ transitions, fulfilled }),
    ],
  };
}

const [mint, transfer] = good.ledger.transitions as [Transition, Transition];
const another: Transition = {
  block: 8,
  transactionHash: "0xt3",
  transitionHash: "0xh3",
  intents: [],
  inputs: [],
  outputs: [],
};

describe("torture: the checker", () => {
  it("finds nothing in a good run", () => {
    expect(check(good)).to.deep.equal([]);
  });

  it("finds a state that is spent twice (S1)", () => {
    const twice = { ...another, inputs: ["s1"] };
    expect(propertiesOf(onLedger([mint, transfer, twice]))).to.deep.equal([
      "S1",
    ]);
  });

  it("finds an intent that is fulfilled twice (S2)", () => {
    const twice = { ...transfer, intents: ["i2", "i2"] };
    expect(propertiesOf(onLedger([mint, twice]))).to.deep.equal(["S2"]);
  });

  it("finds a state that is created twice (S3)", () => {
    const twice = { ...another, outputs: ["s2"] };
    expect(propertiesOf(onLedger([mint, transfer, twice]))).to.deep.equal([
      "S3",
    ]);
  });

  it("finds a state that is spent and never was (S6)", () => {
    const stray = { ...another, inputs: ["s9"] };
    expect(propertiesOf(onLedger([mint, transfer, stray]))).to.deep.equal([
      "S6",
    ]);
  });

  it("finds a contract that disagrees with its events (S8)", () => {
    const isUnspent = { ...good.ledger.isUnspent, s2: false };
    const isFulfilled = { ...good.ledger.isFulfilled, i1: false };
    expect(propertiesOf({ ledger: { ...good.ledger, isUnspent } })).to.eql([
      "S8",
    ]);
    expect(propertiesOf({ ledger: { ...good.ledger, isFulfilled } })).to.eql([
      "S8",
    ]);
  });

  it("finds an intent that nobody asked for (S9)", () => {
    const stray = { ...another, intents: ["i9"] };
    expect(propertiesOf(onLedger([mint, transfer, stray]))).to.deep.equal([
      "S9",
    ]);
  });

  it("finds a transaction without an intent (S12)", () => {
    const transactions = [{ id: "u1", key: "k1", intent: undefined }];
    const found = propertiesOf({
      disks: [aliceDisk({ transactions }), bobDisk()],
    });
    expect(found).to.include("S12");
  });

  it("finds what was accepted and is lost (S13)", () => {
    const lost = aliceDisk({ transactions: [] });
    expect(propertiesOf({ disks: [lost, bobDisk()] })).to.include("S13");
    const forgotten = aliceDisk({ intents: [] });
    expect(propertiesOf({ disks: [forgotten, bobDisk()] })).to.eql(["S13"]);
  });

  it("finds a key that is two transactions (S22)", () => {
    const again: Answer = {
      atMs: 700,
      key: "k2",
      node: "bob",
      type: "accepted",
      id: "u3",
      isAgain: true,
    };
    expect(propertiesOf({ answers: [...good.answers, again] })).to.include(
      "S22",
    );
    const transactions = [
      { id: "u2", key: "k2", intent: "i2" },
      { id: "u3", key: "k2", intent: "i3" },
    ];
    const disks = [aliceDisk(), bobDisk({ transactions })];
    expect(propertiesOf({ disks })).to.include("S22");
  });

  it("finds two transactions that are one intent (S22)", () => {
    const transactions = [
      { id: "u2", key: "k2", intent: "i2" },
      { id: "u3", key: "k3", intent: "i2" },
    ];
    const disks = [aliceDisk(), bobDisk({ transactions })];
    expect(propertiesOf({ disks })).to.eql(["S22"]);
  });

  it("finds an accepted intent that has not ended (L2)", () => {
    const receipts = good.receipts.map((one) =>
      one.id === "u2" ? { ...one, receipt: undefined } : one,
    );
    expect(propertiesOf({ receipts })).to.eql(["L2"]);
    expect(propertiesOf({ unfinished: "bob has 1 open intent" })).to.eql([
      "L2",
    ]);
  });

  it("finds a receipt that is not what the ledger says (S14)", () => {
    for (const wrong of [
      { ...second, block: 8 },
      { ...second, transactionHash: "0xt9" },
      { ...second, isSuccess: false, failure: "no" },
    ])
      expect(
        propertiesOf({
          receipts: [
            { node: "alice", id: "u1", receipt: first },
            { node: "bob", id: "u2", receipt: wrong },
          ],
        }),
      ).to.eql(["S14"]);
  });

  it("finds an intent on disk that ended in another way than on the ledger (S14)", () => {
    for (const intent of [
      { id: "i2", outcome: "reverted", block: undefined },
      { id: "i2", outcome: "open", block: undefined },
      { id: "i2", outcome: "confirmed", block: 8 },
    ] as const)
      expect(
        propertiesOf({ disks: [aliceDisk(), bobDisk({ intents: [intent] })] }),
      ).to.eql(["S14"]);
  });

  it("finds a promise that was not kept (S35), unless the chain took it back", () => {
    const answers = good.answers.map((answer): Answer =>
      answer.type === "receipt" && answer.key === "k2"
        ? { ...answer, receipt: { ...second, block: 6 } }
        : answer,
    );
    expect(propertiesOf({ answers })).to.eql(["S35"]);
    const replaced = [{ ancestor: 5, from: 6, atMs: 650 }];
    expect(propertiesOf({ answers, replaced })).to.eql([]);
    const elsewhere = [{ ancestor: 6, from: 8, atMs: 650 }];
    expect(propertiesOf({ answers, replaced: elsewhere })).to.eql(["S35"]);
  });

  it("finds a failure that was told and then happened (S14), whatever the chain took back", () => {
    const answers = good.answers.map((answer): Answer =>
      answer.type === "receipt" && answer.key === "k2"
        ? { ...answer, receipt: { ...second, isSuccess: false } }
        : answer,
    );
    const replaced = [{ ancestor: 1, from: 9, atMs: 650 }];
    expect(propertiesOf({ answers, replaced })).to.eql(["S14"]);
  });

  it("finds a node that has not seen, or has made up, what is on the ledger (S34)", () => {
    const behind = bobDisk({ transitions: [mint] });
    expect(propertiesOf({ disks: [aliceDisk(), behind] })).to.eql(["S34"]);
    const made = bobDisk({ transitions: [mint, transfer, another] });
    expect(propertiesOf({ disks: [aliceDisk(), made] })).to.eql(["S34"]);
    const moved = bobDisk({ transitions: [mint, { ...transfer, block: 8 }] });
    expect(propertiesOf({ disks: [aliceDisk(), moved] })).to.eql(["S34"]);
    const unfulfilled = bobDisk({
      fulfilled: good.disks[1]?.fulfilled.slice(1) ?? [],
    });
    expect(propertiesOf({ disks: [aliceDisk(), unfulfilled] })).to.eql(["S34"]);
  });

  it("finds a node with other states than the ledger (books)", () => {
    const [s1, s2, s3] = aliceDisk().states;
    if (!s1 || !s2 || !s3) throw new Error("There are three states.");
    for (const states of [
      [s1, s2],
      [s1, s2, { ...s3, isSpent: true }],
      [s1, s2, { ...s3, isKnown: false }],
      [s1, s2, s3, { ...s3, id: "s4" }],
    ])
      expect(
        propertiesOf({ disks: [aliceDisk(), bobDisk({ states })] }),
      ).to.eql(["books"]);
  });

  it("finds balances that are not what the intents come to (conserved)", () => {
    const balances = good.balances.map((one) =>
      one.node === "bob" && one.account === "shop"
        ? { ...one, balance: 4 }
        : one,
    );
    expect(propertiesOf({ balances })).to.eql(["conserved"]);
    expect(propertiesOf({ balances: [] })).to.eql(["conserved"]);
    const silent = good.balances.map((one) => ({
      ...one,
      balance: Number.NaN,
    }));
    expect(propertiesOf({ balances: silent })).to.eql(["conserved"]);
  });

  it("counts what happened although nobody was told", () => {
    const answers = good.answers.filter(
      ({ type, key }) => key !== "k2" || type === "wished",
    );
    expect(propertiesOf({ answers })).to.eql([]);
  });

  const exit: ProcessExit = {
    launchedMs: 900,
    atMs: 1_000,
    node: "bob",
    code: 1,
    signal: null,
    cause: undefined,
    hasAnswered: true,
  };

  it("finds a node that ended by itself (S23), unless it found no chain to start with", () => {
    expect(propertiesOf({ exits: [exit] })).to.eql(["S23"]);
    const faults = [
      {
        kind: "chain-frozen",
        target: "chain",
        detail: "",
        startMs: 500,
        endMs: 1_500,
      },
    ];
    expect(propertiesOf({ exits: [exit], faults })).to.eql(["S23"]);
    const early = { ...exit, hasAnswered: false };
    expect(propertiesOf({ exits: [early], faults })).to.eql([]);
    const later = { ...early, launchedMs: 1_600, atMs: 1_700 };
    expect(propertiesOf({ exits: [later], faults })).to.eql(["S23"]);
  });

  it("finds a node that goes on, or dies badly, without a disk (S37)", () => {
    const full: ProcessExit = { ...exit, cause: "full-disk" };
    expect(propertiesOf({ exits: [full] })).to.eql([]);
    expect(propertiesOf({ exits: [{ ...full, code: 0 }] })).to.eql(["S37"]);
    expect(
      propertiesOf({ exits: [{ ...full, code: null, signal: "SIGXFSZ" }] }),
    ).to.eql(["S37"]);
  });

  it("finds a node that does not stop when it is asked to (stop)", () => {
    const stopped: ProcessExit = { ...exit, cause: "stop", code: 0 };
    expect(propertiesOf({ exits: [stopped] })).to.eql([]);
    const killed = { ...stopped, code: null, signal: "SIGKILL" };
    expect(propertiesOf({ exits: [killed] })).to.eql(["stop"]);
  });

  it("finds a secret that was printed (secrets)", () => {
    const leaks = [{ secret: "the wallet of bob", file: "bob.out" }];
    expect(propertiesOf({ leaks })).to.eql(["secrets"]);
  });

  it("does not mind kills", () => {
    const killed: ProcessExit = {
      ...exit,
      cause: "kill",
      code: null,
      signal: "SIGKILL",
    };
    expect(propertiesOf({ exits: [killed] })).to.eql([]);
  });
});
