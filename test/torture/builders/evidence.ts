import type {
  Answer,
  Disk,
  Evidence,
  Receipt,
  Transition,
} from "../harness/evidence/evidence.ts";

/** A mint of 10 into the pot and a transfer of 3 out of it. */
const transitions: readonly Transition[] = [
  {
    block: 5,
    transactionHash: "0xt1",
    transitionHash: "0xh1",
    intents: ["i1"],
    inputs: [],
    outputs: ["s1"],
  },
  {
    block: 7,
    transactionHash: "0xt2",
    transitionHash: "0xh2",
    intents: ["i2"],
    inputs: ["s1"],
    outputs: ["s2", "s3"],
  },
];

const receiptOf = (id: string, one: Transition | undefined): Receipt => ({
  id,
  isSuccess: true,
  block: one?.block,
  transactionHash: one?.transactionHash,
  failure: undefined,
});
export const first: Receipt = receiptOf("u1", transitions[0]);
export const second: Receipt = receiptOf("u2", transitions[1]);

const answers: readonly Answer[] = [
  {
    atMs: 100,
    key: "k1",
    node: "alice",
    type: "wished",
    wish: {
      key: "k1",
      node: "alice",
      function: "mint",
      from: undefined,
      to: "pot",
      amount: 10,
    },
  },
  {
    atMs: 200,
    key: "k1",
    node: "alice",
    type: "accepted",
    id: "u1",
    isAgain: false,
  },
  { atMs: 300, key: "k1", node: "alice", type: "receipt", receipt: first },
  {
    atMs: 400,
    key: "k2",
    node: "bob",
    type: "wished",
    wish: {
      key: "k2",
      node: "bob",
      function: "transfer",
      from: "pot",
      to: "shop",
      amount: 3,
    },
  },
  {
    atMs: 450,
    key: "k2",
    node: "bob",
    type: "unanswered",
    reason: "ECONNRESET",
  },
  {
    atMs: 500,
    key: "k2",
    node: "bob",
    type: "accepted",
    id: "u2",
    isAgain: true,
  },
  { atMs: 600, key: "k2", node: "bob", type: "receipt", receipt: second },
];

const seen = {
  transitions,
  fulfilled: [
    { intent: "i1", transitionHash: "0xh1" },
    { intent: "i2", transitionHash: "0xh2" },
  ],
  states: [
    { id: "s1", isSpent: true, isKnown: false },
    { id: "s2", isSpent: false, isKnown: true },
    { id: "s3", isSpent: false, isKnown: true },
  ],
} as const;

/** What a node has on disk that took the first intent. */
export function aliceDisk(parts: Partial<Disk> = {}): Disk {
  return {
    node: "alice",
    transactions: [{ id: "u1", key: "k1", intent: "i1" }],
    intents: [{ id: "i1", outcome: "confirmed", block: 5 }],
    ...seen,
    ...parts,
  };
}

/** What a node has on disk that took the second intent. */
export function bobDisk(parts: Partial<Disk> = {}): Disk {
  return {
    node: "bob",
    transactions: [{ id: "u2", key: "k2", intent: "i2" }],
    intents: [{ id: "i2", outcome: "confirmed", block: 7 }],
    ...seen,
    ...parts,
  };
}

/** A run in which everything went well, as far as it is not said otherwise. */
export function anEvidence(parts: Partial<Evidence> = {}): Evidence {
  return {
    nodes: ["alice", "bob"],
    unfinished: "",
    answers,
    receipts: [
      { node: "alice", id: "u1", receipt: first },
      { node: "bob", id: "u2", receipt: second },
    ],
    balances: ["alice", "bob"].flatMap((node) => [
      { node, account: "pot", balance: 7 },
      { node, account: "shop", balance: 3 },
    ]),
    ledger: {
      head: 9,
      transitions,
      isUnspent: { s1: false, s2: true, s3: true },
      isFulfilled: { i1: true, i2: true },
      reverted: [],
      transactions: 2,
    },
    disks: [aliceDisk(), bobDisk()],
    failures: [],
    leaks: [],
    exits: [],
    faults: [],
    replaced: [],
    ...parts,
  };
}
