import type { Mutant, TestedMutant } from "./catalogue.ts";

// Most of these have a second line of defence behind them, in a domain or on the ledger. So the simulator looks at what a
// node does, and not only at what comes of it, and its liars change one thing in an exchange that is otherwise right.

/** Whom a sender believes, and what it permits. */
export const senderTrust: Mutant[] = [
  {
    name: "believes anybody that a bundle is dispatched",
    file: "sender/assembly.ts",
    find: `      transaction?.permission?.digest === digest &&
      transaction.permission.coordinator === from
`,
    replace: "      transaction?.permission?.digest === digest\n",
    properties: ["S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 4 },
  },
  {
    name: "believes anybody that a bundle failed",
    file: "sender/failures.ts",
    find: "permission?.digest === digest && permission.coordinator === from",
    replace: "permission?.digest === digest",
    properties: ["S41", "S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 4 },
  },
  {
    name: "takes back what anybody returns",
    file: "receive.ts",
    find: "        if (transaction?.sentTo === from)\n",
    replace: "        if (transaction !== undefined)\n",
    properties: ["S46"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "permits a bundle whose last block is now",
    file: "sender/assembly.ts",
    find: "bundle.validUntil > node.height;",
    replace: "bundle.validUntil >= node.height;",
    properties: ["S16"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2 },
  },
  {
    name: "reports a revert one block before the end of a step",
    file: "sender/transaction/guards.ts",
    find: "return node.height >= liveUntil;",
    replace: "return node.height + 1 >= liveUntil;",
    properties: ["S14"],
    runs: { faults: "byzantine", liar: "precise", nodes: 2, intents: 80 },
  },
  {
    name: "goes on with dependants of what a reorganisation took back",
    file: "blocks.ts",
    find: "  waitAgain(turn, new Set(facts.flatMap(({ intents }) => intents)));\n",
    replace: "  void waitAgain;\n",
    properties: ["S35"],
    runs: { faults: "chain", intents: 80 },
  },
];

/** What a coordinator takes for true. */
export const coordinatorTrust: Mutant[] = [
  {
    name: "takes a step of another intent",
    file: "coordinator/assembly.ts",
    find: "        step.intentId === transaction.id &&\n",
    replace: "",
    properties: ["S26"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes a step of another sender",
    file: "coordinator/assembly.ts",
    find: "        step.sender === transaction.sender &&\n",
    replace: "",
    properties: ["S26"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes a step that reads what is spent",
    file: "coordinator/context.ts",
    find: "inputs.some((id) => spent.has(id)) || reads.some((id) => spent.has(id))",
    replace: "inputs.some((id) => spent.has(id)) || reads.length < 0",
    properties: ["S26", "S40"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3, intents: 80 },
  },
  {
    name: "counts endorsements from outside the committee",
    file: "coordinator/endorsements.ts",
    find: "if (work === undefined || !config.committee.includes(from)) {",
    replace: "if (work === undefined) {",
    properties: ["S4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 5 },
  },
  {
    name: "says that it has an intent when it has another sender's",
    file: "coordinator/delegation.ts",
    find: "(known.sender === from ? taken : refused).push(intent.id);",
    replace: "taken.push(intent.id);",
    properties: ["L4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "takes an intent under the id of another node",
    file: "coordinator/delegation.ts",
    find: "else if (!isOwnIntent({ ...intent, sender: from })) foreign.push(intent.id);",
    replace: "else if (isOwnIntent === undefined) foreign.push(intent.id);",
    properties: ["S30", "S26", "L4"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "hands back a preparation that can no longer happen",
    file: "coordinator/preparation.ts",
    find: "if (work.bundle.steps.some((step) => conflicts(coordinator, step))) {",
    replace: "void conflicts;\n  if (work.bundle.steps.length === 0) {",
    properties: ["S40"],
    runs: { faults: "network", nodes: 3, intents: 80 },
  },
];

/** Whom it succeeds. */
export const successionTrust: Mutant[] = [
  {
    name: "believes a heartbeat that comes late",
    file: "receive.ts",
    find: "  if (isLate(node, from, heartbeat)) {\n",
    replace: "  if (isLate(node, from, heartbeat) && node.tick < 0) {\n",
    properties: ["S41"],
    runs: { faults: "network" },
  },
  {
    name: "waits for as long as a predecessor says",
    file: "coordinator/handover.ts",
    find: "    Math.min(handover.flushUntil, highest),\n",
    replace: "    handover.flushUntil,\n",
    properties: ["L8"],
    runs: {
      faults: "byzantine",
      liar: "precise",
      policy: "rotating",
      intents: 80,
    },
  },
  {
    name: "builds on what a predecessor's work did not come to",
    file: "coordinator/handover.ts",
    find: "  if (!isAwaited || coordinator.flushDigests.has(digest)) return;\n",
    replace: "  if (isAwaited || digest !== undefined) return;\n",
    properties: ["S25"],
    runs: {
      faults: "byzantine",
      liar: "precise",
      policy: "rotating",
      intents: 80,
    },
  },
  {
    name: "keeps what it built without knowing of its predecessor's work",
    file: "coordinator/table.ts",
    find: "    run: [succeed, stepBack, prepare],\n",
    replace: "    run: [succeed, prepare],\n",
    properties: ["S27"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3, intents: 80 },
  },
];

/** What an endorser looks at by itself. */
export const endorserTrust: Mutant[] = [
  {
    name: "endorses what has happened",
    file: "endorser.ts",
    find: "  if (done.length > 0) return",
    replace: "  if (done.length > 0 && height < 0) return",
    properties: ["S30"],
    runs: { faults: "network" },
  },
  {
    name: "endorses under a digest that is not the bundle's",
    file: "endorser.ts",
    find: "if (!isKnown && digestOf(config.hashing, bundle) !== digest)",
    replace: "if (!isKnown && digestOf(config.hashing, bundle) === undefined)",
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses what can no longer happen",
    file: "endorser.ts",
    find: "  if (validUntil < height || validUntil === 0) return",
    replace: "  if (validUntil < 0 * height) return",
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses what happens after one of its steps may",
    file: "endorser.ts",
    find: "steps.filter((step) => step.validUntil < validUntil)",
    replace: "steps.filter((step) => step.validUntil < 0 * validUntil)",
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "endorses for any time",
    file: "endorser.ts",
    find: "if (validUntil > height + VALIDITIES_MAX * config.validForBlocks)",
    replace: "if (validUntil > Infinity * VALIDITIES_MAX)",
    // No step is valid for that long.
    also: {
      file: "endorser.ts",
      find: "steps.filter((step) => step.validUntil < validUntil)",
      replace: "steps.filter((step) => step.validUntil < 0 * validUntil)",
    },
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "extremist", nodes: 3 },
  },
  {
    name: "endorses under the id of another node",
    file: "endorser.ts",
    find: "      !config.hashing.isOwnIntent({ id, sender, laneSalt, payload }),\n",
    replace: "      id === sender && laneSalt === payload,\n",
    properties: ["S30"],
    runs: { faults: "byzantine", liar: "precise", nodes: 3 },
  },
  {
    name: "keeps requests of any height",
    file: "endorser.ts",
    find: "    if (request.height > node.height + limits.aheadBlocks) return;\n",
    replace: "",
    properties: ["L22"],
    runs: { faults: "byzantine", liar: "extremist", nodes: 3 },
  },
];

/** What a test of one node notices. */
export const tested: TestedMutant[] = [
  {
    name: "remembers only how long its last step lives",
    file: "sender/transaction/actions.ts",
    find: "Math.max(transaction.liveUntil, step.validUntil)",
    replace: "step.validUntil",
    test: {
      file: "longest-step.ts",
      name: "ends it when the step that lives longest can no longer happen",
    },
    why: "A sender signs for less than before only after a reorganisation, and then for few blocks less: the intent must fail within these.",
  },
  {
    name: "permits what its coordinator no longer wants",
    file: "sender/assembly.ts",
    find: "  supersede(node.sender, from, request);\n",
    replace: "  void supersede;\n",
    test: {
      file: "dependencies.ts",
      name: "permits what it was asked for last, once it can tell",
    },
    why: "A sender must be behind while another one in the same bundle denies it; the coordinator then ignores the permission for what it has taken apart.",
  },
];
