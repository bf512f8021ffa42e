import type { GroupStatus, NodeStatus } from "../node/service.ts";
import { progressOf } from "./state.ts";
import { digits, printable, seconds, shorten, table } from "./text.ts";

/** Any text where a node has names and ids: what comes from outside is shown, not trusted. */
type Told<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Told<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Told<Value[Key]> }
      : Value;

/** What `sequencer:status` tells of one node. */
export type StatusFact = NodeStatusFact | NodeDownFact;

/** A node that does not answer. */
export interface NodeDownFact {
  readonly type: "node-down";
  readonly url: string;
  readonly reason: string;
}

/** What a node answers. */
export interface NodeStatusFact extends Told<
  Omit<NodeStatus, "groups" | "rejoining" | "draining">
> {
  readonly type: "node-status";
  readonly rejoining: readonly {
    readonly group?: string | undefined;
    readonly why: string;
  }[];
  readonly draining?: Draining | undefined;
  readonly url: string;
  readonly groups: readonly ToldGroup[];
}

/** What keeps a node from being stopped that no longer wants to coordinate. */
export interface Draining {
  readonly isDone: boolean;
  readonly reasons: readonly string[];
}

/** A group, as a node tells of it. */
export type ToldGroup = Told<
  Omit<GroupStatus, "active" | "heartbeatAgeMs" | "trouble">
> & {
  readonly trouble?: string | undefined;
  readonly active?: string | undefined;
  readonly heartbeatAgeMs?: number | undefined;
};

/** What is said of a node that is drained. */
export function drainingLines(
  name: string,
  { isDone, reasons }: Draining,
): string[] {
  return isDone
    ? [`${name} coordinates nothing any more. It can be stopped.`]
    : reasons.map((reason) =>
        printable(`${name} cannot be stopped yet. ${reason}`),
      );
}

/** Tells the nodes that do not answer from the others. */
export function isDown(fact: StatusFact): fact is NodeDownFact {
  return fact.type === "node-down";
}

/** All nodes as one table for each group, and what is out of the ordinary below. */
export function statusLines(all: readonly StatusFact[]): string[] {
  const facts = all.filter((fact) => !isDown(fact));
  const groups = new Map<string, ToldGroup>();
  for (const fact of facts)
    for (const group of fact.groups)
      if (!groups.has(group.address)) groups.set(group.address, group);
  const lines = [...groups.values()].flatMap((group) =>
    groupLines(group, facts),
  );
  const lonely = facts.filter(({ groups: own }) => own.length === 0);
  for (const { name, url, height, groupsAside } of lonely)
    if (groupsAside === 0)
      lines.push(`${name} at ${url}: block ${digits(height)}, in no group`);
  for (const { name, rejoining } of facts)
    for (const { group, why } of rejoining)
      lines.push(
        group === undefined
          ? `${name}  ${why}`
          : `${name} is rejoining group ${group}. ${why}`,
      );
  for (const { name, draining } of facts)
    if (draining !== undefined) lines.push(...drainingLines(name, draining));
  for (const { name, groupsAside } of facts)
    if (groupsAside > 0)
      lines.push(
        `${name} has ${digits(groupsAside)} more groups, with nothing to do`,
      );
  for (const { url, reason } of all.filter(isDown))
    lines.push(`${url}  down: ${reason}`);
  if (facts.length === 0)
    lines.push(
      "No node answers. Start nodes with npx hardhat sequencer:run, or correct --url.",
    );
  return lines.map(printable);
}

function groupLines(
  { address, name, domain }: ToldGroup,
  facts: readonly NodeStatusFact[],
): string[] {
  const rows = [];
  const blocked = [];
  for (const fact of facts) {
    const group = fact.groups.find((one) => one.address === address);
    if (group === undefined) continue;
    rows.push(rowOf(fact, group));
    if (group.trouble !== undefined)
      blocked.push(`  ${fact.name}  ${group.trouble}`);
    for (const { id, why } of group.blocked)
      blocked.push(`  ${fact.name}  ${shorten(id)}  ${why}`);
    if (group.missingStates > 0)
      blocked.push(
        `  ${fact.name}  waits for the content of ${digits(group.missingStates)} states`,
      );
  }
  const header = [
    "node",
    "block",
    "range",
    "sender",
    "coordinator",
    "hears",
    "heartbeat",
    "open",
    "pool",
    "ranking",
    "url",
  ];
  const lines = [
    `Group ${address}${name === "" ? "" : ` "${name}"`}, ${domain}`,
    "",
    ...table([header, ...rows], [1, 2, 6, 7, 8]).map((line) => `  ${line}`),
    "",
  ];
  if (blocked.length > 0) lines.push("Blocked", ...blocked, "");
  return lines;
}

function rowOf(fact: NodeStatusFact, group: ToldGroup): string[] {
  const { rangeStart, rangeEnd, heartbeatAgeMs, ranking, coordinated } = group;
  const { open } = progressOf([group]);
  const pool = Object.values(coordinated).reduce((sum, one) => sum + one, 0);
  return [
    fact.name,
    digits(fact.height),
    `${group.range} (${rangeStart}–${rangeEnd})`,
    group.sender,
    group.coordinator,
    group.active ?? "nobody",
    heartbeatAgeMs === undefined ? "-" : seconds(heartbeatAgeMs),
    digits(open),
    digits(pool),
    ranking.join(" "),
    fact.url,
  ];
}
