import type { Fault } from "../harness/nemesis/faults.ts";
import type { PlannedFault } from "../harness/nemesis/schedule.ts";

/** One place of the sources made wrong. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** Is there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A sabotage of a node, and what shall notice it. */
export interface Mutant {
  /** What nodes do wrong, as a sentence. */
  readonly name: string;
  /** All lines of defence that have to fall. */
  readonly edits: readonly Edit[];
  /** One of these must be reported. */
  readonly properties: readonly string[];
  /** What has to happen, so that it shows. */
  readonly plan: readonly PlannedFault[];
}

/** Something that goes wrong, when, and for how long. */
function at(
  [startMs, durationMs]: readonly [number, number],
  fault: Fault,
  lane = 0,
): PlannedFault {
  return { fault, lane, startMs, durationMs };
}

const away = at([2_000, 4_000], { kind: "kill", node: "bob" });
const dies = at([1_000, 1_000], {
  kind: "fail-point",
  node: "bob",
  point: "before-intent",
});
const reorganisations = [1_000, 6_000].map((startMs) =>
  at([startMs, 0], { kind: "reorganisation", depth: 6 }),
);
/** What is accepted without blocks is open when the node is started again. */
const restart = [
  at([1_000, 8_000], { kind: "mining-paused" }),
  at([4_000, 500], { kind: "kill", node: "bob" }, 1),
];
const fullDisk = at([2_000, 0], { kind: "full-disk", node: "bob" });

/** Every fault of the catalogue, for nodes that nobody has sabotaged: nothing may be reported. */
export const control: readonly PlannedFault[] = [
  ...reorganisations,
  ...[dies, fullDisk].map((one) => ({ ...one, lane: 1 })),
  ...restart.map((one) => ({
    ...one,
    lane: one.lane + 2,
    startMs: one.startMs + 20_000,
  })),
];

/** Every sabotage. */
export const mutants: readonly Mutant[] = [
  {
    name: "acknowledges an intent before it is on the disk",
    edits: [
      {
        file: "src/runtime/node/intake.ts",
        find: "      turns.add({",
        replace: "      resolve();\n      turns.add({",
      },
    ],
    properties: ["S13"],
    plan: [dies],
  },
  {
    name: "takes the same idempotency key twice",
    edits: [
      {
        file: "src/runtime/users/submissions.ts",
        find: 'if (other !== undefined)\n      throw new UserError(\n        "PD012220"',
        replace:
          'if (other === "")\n      throw new UserError(\n        "PD012220"',
      },
      {
        file: "src/runtime/store/user-transactions.ts",
        find: "idempotency_key TEXT UNIQUE",
        replace: "idempotency_key TEXT",
      },
    ],
    properties: ["S22"],
    plan: [away],
  },
  {
    name: "keeps receipts of blocks that were replaced",
    edits: [
      {
        file: "src/runtime/node/blocks.ts",
        find: "const reopened = store.records.confirmedAbove(address, height);",
        replace:
          "const reopened = store.records.confirmedAbove(address, Infinity);",
      },
    ],
    properties: ["S14"],
    plan: reorganisations,
  },
  {
    name: "forgets open intents when it is started again",
    edits: [
      {
        file: "src/runtime/node/group-runner.ts",
        find: "      ...ports.store.records.open(address),\n",
        replace: "",
      },
    ],
    properties: ["L2"],
    plan: restart,
  },
  {
    name: "never asks for states that it missed",
    edits: [
      {
        file: "src/runtime/node/catch-up.ts",
        find: "    if (missing.size === 0) {\n",
        replace: "    if (missing.size >= 0) {\n",
      },
    ],
    properties: ["books"],
    plan: [away],
  },
  {
    name: "goes on when the disk does not take what it writes",
    edits: [
      {
        file: "src/runtime/node/turns.ts",
        find: "      this.#fail(jobs, error);\n      return;\n    }\n    if (!hasWrites(turn)) {\n",
        replace: "      void error;\n    }\n    if (!hasWrites(turn)) {\n",
      },
      {
        file: "src/runtime/node/turns.ts",
        find: "      if (error === undefined) this.#finish(jobs, turn);\n      else this.#fail(jobs, error);\n",
        replace: "      this.#finish(jobs, turn);\n",
      },
    ],
    properties: ["S13"],
    plan: [fullDisk],
  },
  {
    name: "prints the key of its account",
    edits: [
      {
        file: "tasks/node/serve.ts",
        find: "    member.start();\n",
        replace:
          "    member.start();\n    console.error(account.privateKey);\n",
      },
    ],
    properties: ["secrets"],
    plan: [away],
  },
];
