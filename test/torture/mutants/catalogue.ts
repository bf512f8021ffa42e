import { inside, type Sabotage } from "../../helpers/sabotage/edit.ts";
import {
  argument,
  call,
  caught,
  condition,
  spread,
  value,
} from "../../helpers/sabotage/places.ts";
import type { Fault } from "../harness/nemesis/faults.ts";
import type { PlannedFault } from "../harness/nemesis/schedule.ts";

/** A sabotage of a node, and what shall notice it. */
export interface Mutant extends Sabotage {
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

/** Other words within a text, such as SQL. */
const reworded =
  (words: string, others: string) =>
  (code: string): string => {
    if (!code.includes(words)) throw new Error(`It has no ${words}: ${code}`);
    return code.replace(words, others);
  };

/** Every sabotage. */
export const mutants: readonly Mutant[] = [
  {
    name: "acknowledges an intent before it is on the disk",
    edits: [
      inside("Intake.take").puts(
        call("requests.ask"),
        'loop.post({ type: "submitted", work, record, request: 0 }, rank)',
      ),
    ],
    properties: ["S13"],
    plan: [dies],
  },
  {
    name: "takes the same idempotency key twice",
    edits: [
      inside("api/submissions: Submissions.#claim").puts(
        condition("other"),
        "false",
      ),
      inside("userTransactionsTable").puts(
        value("userTransactionsTable"),
        reworded("idempotency_key TEXT UNIQUE", "idempotency_key TEXT"),
      ),
    ],
    properties: ["S22"],
    plan: [away],
  },
  {
    name: "keeps receipts of blocks that were replaced",
    edits: [
      inside("BlockFeed").puts(argument("confirmedAbove", 1), "Infinity"),
    ],
    properties: ["S14"],
    plan: reorganisations,
  },
  {
    name: "forgets open intents when it is started again",
    edits: [inside("GroupRunner").drops(spread("records", "open"))],
    properties: ["L2"],
    plan: restart,
  },
  {
    name: "never asks for states that it missed",
    edits: [inside("CatchUp.ask").puts(condition("missing", "size"), "true")],
    properties: ["books"],
    plan: [away],
  },
  {
    name: "goes on when the disk does not take what it writes",
    edits: [
      inside("LoopDriver.#take").puts(caught(), "{}"),
      inside("LoopDriver.#flush").puts(condition("error"), "true"),
    ],
    properties: ["S13"],
    plan: [fullDisk],
  },
  {
    name: "prints the key of its account",
    edits: [
      inside("node/serve: serveAlone").addsAfter(
        call("node.host.start"),
        "console.error(prepared.accounts.endorser.privateKey);",
      ),
    ],
    properties: ["secrets"],
    plan: [away],
  },
];
