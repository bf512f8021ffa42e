/** What the nodes are called, in this order. */
const names = [
  "alice",
  "bob",
  "carol",
  "dave",
  "erin",
  "frank",
  "grace",
  "heidi",
  "ivan",
  "judy",
  "kim",
  "leo",
  "mia",
  "nick",
  "olga",
  "paul",
] as const;

/** More nodes in one process say nothing that fewer do not. */
export const nodesMax: number = names.length;

/** The names of so many nodes. */
export function namesOf(count: number): readonly string[] {
  return names.slice(0, count);
}
