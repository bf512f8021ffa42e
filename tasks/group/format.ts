import { digits, printable, table } from "../../src/view/text.ts";
import { groupsMax } from "../shared/find-group.ts";
import type {
  CreateFact,
  GroupDetailsFact,
  GroupFact,
  GroupImportedFact,
} from "./facts.ts";

/** What happens to a new group, for people. */
export function createLines(fact: CreateFact): string[] {
  switch (fact.type) {
    case "group-creating":
      return [`${fact.url} creates group ${fact.id}`];
    case "group":
      return [`The group is at ${fact.address ?? "an unknown address"}`];
    case "group-failed":
      return [printable(`The group cannot be created: ${fact.reason}`)];
    case "group-open":
      return [
        `The group is still being created. Ask again: npx hardhat sequencer:receipt ${fact.transaction}`,
      ];
  }
}

/** That a node takes part in a group, for people. */
export function importedLines({
  url,
  name,
  address,
}: GroupImportedFact): string[] {
  return [printable(`${url} takes part in group "${name}" at ${address}`)];
}

/** Groups as a table for people. */
export function listLines(groups: readonly GroupFact[]): string[] {
  if (groups.length === 0) return ["The node is in no group"];
  const header = ["name", "domain", "address", "members"];
  const rows = groups.map(({ name, domain, address, members }) =>
    [
      name === "" ? "-" : name,
      domain,
      address ?? "being created",
      members.join(" "),
    ].map(printable),
  );
  const lines = table([header, ...rows]);
  if (groups.length === groupsMax)
    lines.push(
      `Only ${digits(groupsMax)} groups are listed; there may be more`,
    );
  return lines;
}

/** A group for people. */
export function detailsLines(fact: GroupDetailsFact): string[] {
  const { threshold, endorsers, configuration, trouble } = fact;
  const settings = Object.entries(configuration);
  const rows = [
    ["name", fact.name === "" ? "-" : fact.name],
    ["address", fact.address],
    ["id", fact.id],
    ["domain", fact.domain],
    ["members", fact.members.join(" ")],
    ["endorsers", endorsers.join(" ")],
    ["threshold", `${threshold} of ${endorsers.length}`],
    ["coordinator", fact.coordinator ?? "nobody"],
    ["ranking", fact.ranking.join(" ")],
    ...settings.map(([name, value]) => [`configuration.${name}`, value]),
    ...(fact.isMember ? [] : [["member", "this node is no longer a member"]]),
    ...(trouble === null ? [] : [["trouble", trouble]]),
  ];
  return table(rows.map((row) => row.map(printable)));
}
