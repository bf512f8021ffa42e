import type { NodeName } from "../../protocol/ids.ts";
import { DomainRefusal, type GroupPlan } from "../domain.ts";
import { tokenLimits } from "./limits.ts";

/** What the creator of a token chose. */
export interface TokenSettings {
  /** Nodes that see and endorse everything. */
  readonly notaries: readonly NodeName[];
  /** Only identities of notaries mint. */
  readonly restrictMint: boolean;
  readonly allowBurn: boolean;
  readonly allowLock: boolean;
  readonly name: string;
  readonly symbol: string;
}

const known: readonly string[] = [
  "notaries",
  "restrictMint",
  "allowBurn",
  "allowLock",
  "name",
  "symbol",
];

/** Reads the configuration of a group. Throws a {@link DomainRefusal} for what makes no sense. */
export function readSettings({
  members,
  configuration,
}: GroupPlan): TokenSettings {
  for (const [key, value] of Object.entries(configuration))
    if (!known.includes(key))
      throw new DomainRefusal(
        `A notarised-token has no setting "${key}" (${JSON.stringify(value)}). There are: ${known.join(", ")}.`,
      );
  const { notaries, restrictMint, allowBurn, allowLock, name, symbol } =
    configuration;
  return {
    notaries: readNotaries(notaries, members),
    restrictMint: readFlag("restrictMint", restrictMint),
    allowBurn: readFlag("allowBurn", allowBurn),
    allowLock: readFlag("allowLock", allowLock),
    name: readName("name", name),
    symbol: readName("symbol", symbol),
  };
}

/** Without a word about it, the first member is the notary. */
function readNotaries(
  text: string | undefined,
  members: readonly NodeName[],
): readonly NodeName[] {
  if (text === undefined) return members.slice(0, 1);
  const names = text.split(",").map((name) => name.trim());
  const notaries = names.map((name) => {
    const member = members.find((one) => one === name);
    if (member === undefined)
      throw new DomainRefusal(
        `notaries names "${name}", which is no member. Name some of: ${members.join(", ")}.`,
      );
    return member;
  });
  if (new Set(notaries).size !== notaries.length)
    throw new DomainRefusal(
      `notaries names a member twice: "${text}". Name each once.`,
    );
  return notaries;
}

function readFlag(key: string, value: string | undefined): boolean {
  if (value === undefined || value === "true") return true;
  if (value === "false") return false;
  throw new DomainRefusal(`${key} is "true" or "false", not "${value}".`);
}

function readName(key: string, value = ""): string {
  if (value.length > tokenLimits.nameLength)
    throw new DomainRefusal(
      `${key} has at most ${tokenLimits.nameLength} characters, and "${value.slice(0, 80)}" has ${value.length}.`,
    );
  return value;
}
