import { type Check, type Violation } from "./violation.ts";

/** What was accepted: one key, one transaction, one intent, and none of them lost. */
export const checkAcceptance: Check = ({ answers, disks }) => {
  const violations: Violation[] = [];
  const say = (property: string, what: string): void => {
    violations.push({ property, what });
  };
  const idByKey = new Map<string, { node: string; id: string }>();
  for (const answer of answers) {
    if (answer.type !== "accepted") continue;
    const { key, node, id } = answer;
    const before = idByKey.get(key);
    if (before === undefined) idByKey.set(key, { node, id });
    else if (before.id !== id)
      say("S22", `key ${key} is transaction ${before.id} and also ${id}`);
  }
  const diskOf = new Map(disks.map((disk) => [disk.node, disk]));
  for (const [key, { node, id }] of idByKey) {
    const rows = (diskOf.get(node)?.transactions ?? []).filter(
      (row) => row.key === key || row.id === id,
    );
    const [row, another] = rows;
    if (row === undefined)
      say("S13", `${node} accepted key ${key} as ${id}, and does not have it`);
    else if (another !== undefined)
      say("S22", `${node} has more than one transaction with key ${key}`);
    else if (row.key !== key || row.id !== id)
      say("S22", `${node} has key ${key} as ${row.id}, and told ${id}`);
    else if (row.intent === undefined)
      say("S12", `${node} has no intent for transaction ${id}`);
  }
  const owners = new Map<string, string>();
  for (const { node, transactions, intents } of disks) {
    const own = new Set(intents.map(({ id }) => id));
    for (const { id, intent } of transactions) {
      if (intent === undefined) continue;
      const other = owners.get(intent);
      if (other !== undefined)
        say("S22", `transactions ${other} and ${id} are the same intent`);
      owners.set(intent, id);
      if (!own.has(intent))
        say("S13", `${node} has lost the intent of transaction ${id}`);
    }
  }
  return violations;
};
