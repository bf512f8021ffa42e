import type { Findings, Part } from "../part.ts";
import { measureGroups } from "../growth/groups.ts";
import { measureIntents } from "../growth/intents.ts";
import { measureMembers } from "../growth/members.ts";

/** What an intent costs when there is more of everything. */
export const growth: Part = {
  about: "cost of an intent by intents, members and groups",
  run: async (options) => {
    const findings: Findings[] = [];
    for (const measure of [measureMembers, measureGroups, measureIntents])
      findings.push(await measure(options));
    return {
      sections: findings.flatMap(({ sections }) => sections),
      goals: findings.flatMap(({ goals }) => goals),
      panels: findings.flatMap(({ panels = [] }) => panels),
    };
  },
};
