import { inside, type Sabotage } from "../../helpers/sabotage/edit.ts";
import { condition, returned, value } from "../../helpers/sabotage/places.ts";

/** Other words within an expression. */
const reworded =
  (words: string, others: string) =>
  (code: string): string => {
    if (!code.includes(words)) throw new Error(`It has no ${words}: ${code}`);
    return code.replace(words, others);
  };

/** Sabotages of the election; the properties of `test/supervisor/election.ts` must notice each. */
export const electionMutants: readonly Sabotage[] = [
  {
    name: "decides by itself while elections are stopped",
    edits: [inside("decide").puts(condition("isElectionOn"), "false")],
  },
  {
    name: "elects while the log is open",
    edits: [
      inside("decide").puts(
        returned("elect", "watch"),
        reworded("isStopped ?", "!isStopped ?"),
      ),
    ],
  },
  {
    name: "replaces a master that works",
    edits: [inside("watch").puts(condition("unhealthy"), "false")],
  },
  {
    name: "replaces a master of which it knows nothing",
    edits: [
      inside("watch").puts(condition("unhealthy"), `health === "healthy"`),
    ],
  },
  {
    name: "forgets the minimum tenure",
    edits: [inside("watch").puts(condition("tenureMsMin"), "false")],
  },
  {
    name: "replaces a master although nobody else is healthy",
    edits: [inside("watch").puts(condition("isReplaceable"), "false")],
  },
  {
    name: "never replaces a master",
    edits: [inside("watch").puts(condition("isReplaceable"), "true")],
  },
  {
    name: "elects a replica without the stopped hash",
    edits: [inside("hasTurn").puts(returned("hash"), "applied !== undefined")],
  },
  {
    name: "compares the turn, and not its hash",
    edits: [
      inside("hasTurn").puts(
        returned("hash"),
        "applied?.sequence === head.sequence",
      ),
    ],
  },
  {
    name: "elects an unhealthy replica",
    edits: [
      inside("elect").puts(
        value("healthy"),
        reworded(`health === "healthy" && problem === undefined`, "true"),
      ),
    ],
  },
  {
    name: "elects a replica with which something is wrong now",
    edits: [
      inside("elect").puts(
        value("healthy"),
        reworded("problem === undefined", "true"),
      ),
    ],
  },
  {
    name: "elects a replica that does not answer now",
    edits: [
      inside("elect").puts(
        value("healthy"),
        reworded("isAnswering && health", "health"),
      ),
      inside("hasTurn").puts(returned("hash"), "true"),
    ],
  },
  {
    name: "elects the same one again",
    edits: [
      inside("byRank").puts(
        returned("lastTenure"),
        reworded("a.lastTenure - b.lastTenure", "b.lastTenure - a.lastTenure"),
      ),
    ],
  },
  {
    name: "never grants",
    edits: [inside("elect").puts(condition("best"), "false")],
  },
  {
    name: "fulfils wishes for unhealthy replicas",
    edits: [
      inside("problemOf").puts(condition("isForced", "problem"), "false"),
      inside("problemOf").puts(condition("isForced", "health"), "false"),
    ],
  },
  {
    name: "forces nothing",
    edits: [inside("follow").puts(value("reason"), `"wish" as const`)],
  },
];
