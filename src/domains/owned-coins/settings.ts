import type { NodeName } from "../../protocol/ids.ts";
import { DomainRefusal, type GroupPlan } from "../domain.ts";
import { nodeOf } from "./account.ts";

const KEYS = ["witnesses", "issuers"];

/** How the coins of a group work. */
export interface CoinSettings {
  /** The nodes whose endorsements count. */
  readonly witnesses: readonly NodeName[];
  /** The accounts that may issue; undefined: all accounts of {@link CoinSettings.home}. */
  readonly issuers: readonly string[] | undefined;
  /** The first member. */
  readonly home: NodeName | undefined;
}

/** Reads what the creator of a group chose. Throws a {@link DomainRefusal} if that makes no sense. */
export function readSettings({
  members,
  configuration,
}: GroupPlan): CoinSettings {
  const unknown = Object.keys(configuration).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw new DomainRefusal(
      `Owned coins have no setting "${unknown}". There are: ${KEYS.join(", ")}.`,
    );
  const names = readList(configuration, "witnesses") ?? members;
  const witnesses = names.map(
    (name) =>
      members.find((member) => member === name) ??
      refuse(
        `The witness "${name}" is no member of the group. Members are: ${members.join(", ")}.`,
      ),
  );
  const issuers = readList(configuration, "issuers");
  for (const issuer of issuers ?? [])
    if (!isAccountOf(members, issuer))
      refuse(
        `The issuer "${issuer}" is nobody in the group. Write name@node with one of: ${members.join(", ")}.`,
      );
  return { witnesses, issuers, home: members[0] };
}

/** Whether an account may issue. */
export function isIssuer(
  { issuers, home }: CoinSettings,
  account: string,
): boolean {
  return issuers?.includes(account) ?? nodeOf(account) === home;
}

/** Whether somebody in the group has this account. */
export function isAccountOf(
  members: readonly NodeName[],
  account: string,
): boolean {
  const node = nodeOf(account);
  return node !== undefined && members.includes(node);
}

/** The parts of a comma-separated setting; undefined if it is left out. */
function readList(
  configuration: GroupPlan["configuration"],
  key: string,
): readonly string[] | undefined {
  const text = Object.hasOwn(configuration, key)
    ? configuration[key]
    : undefined;
  if (text === undefined) return undefined;
  const parts = text.split(",").map((part) => part.trim());
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  if (twice !== undefined)
    refuse(`"${twice}" stands twice in "${key}". Name everybody once.`);
  return parts;
}

function refuse(reason: string): never {
  throw new DomainRefusal(reason);
}
