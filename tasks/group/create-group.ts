import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import { nodeAt } from "../shared/ask-node.ts";
import { groupType } from "../shared/find-group.ts";
import { parseNumber } from "../shared/parse-option.ts";
import { waitForReceipt } from "../shared/transactions.ts";
import type { CreateFact } from "./facts.ts";
import { factOf } from "./list-groups.ts";

/** What the user asks for, as typed. */
export interface CreateOptions {
  readonly url?: string | undefined;
  readonly domain?: string | undefined;
  readonly members?: string | undefined;
  readonly name?: string | undefined;
  readonly threshold?: string | undefined;
  readonly configuration?: string | undefined;
  readonly timeout?: string | undefined;
}

const timeoutSeconds = 60;
/** No committee has more members. */
const membersMax = 256;

const createdType = groupType.extend({ genesisTransaction: z.string() });
const configurationType = z.record(z.string());

/** Creates a group, and waits until it is on the ledger. */
export async function createGroup(
  options: CreateOptions,
  tell: (fact: CreateFact) => void,
): Promise<CreateFact> {
  const { domain = "" } = options;
  if (domain === "")
    throw new SequencerError("GROUP_DOMAIN_MISSING", undefined);
  const members = parseMembers(options.members);
  const configuration = parseConfiguration(options);
  const seconds =
    parseNumber("--timeout", options.timeout, { min: 1, max: 1_000_000 }) ??
    timeoutSeconds;
  const client = nodeAt(options.url);
  const group = await client.ask(createdType, "pgroup_createGroup", {
    domain,
    members,
    configuration,
    ...(options.name !== undefined && { name: options.name }),
  });
  const { id, genesisTransaction: transaction } = group;
  tell({ type: "group-creating", id, transaction, url: client.name });
  const receipt = await waitForReceipt(client, transaction, seconds);
  const last: CreateFact =
    receipt === undefined
      ? { type: "group-open", id, transaction }
      : receipt.success === true
        ? factOf({ ...group, contractAddress: receipt.contractAddress ?? null })
        : { type: "group-failed", id, reason: receipt.failureMessage ?? "" };
  tell(last);
  return last;
}

/** A node by itself stands for its member of that name. */
function parseMembers(text: string | undefined): readonly string[] {
  const members = (text ?? "")
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  if (members.length === 0)
    throw new SequencerError("GROUP_MEMBERS_MISSING", undefined);
  if (members.length > membersMax)
    throw new SequencerError("MEMBERS_TOO_MANY", {
      count: members.length,
      max: membersMax,
    });
  return members.map((member) =>
    member.includes("@") ? member : `member@${member}`,
  );
}

function parseConfiguration(
  options: CreateOptions,
): Readonly<Record<string, string>> {
  const bounds = { min: 1, max: membersMax };
  const threshold = parseNumber("--threshold", options.threshold, bounds);
  const value = options.configuration ?? "{}";
  const configuration = configurationType.safeParse(parseJson(value));
  if (!configuration.success || Object.hasOwn(configuration.data, "threshold"))
    throw new SequencerError("CONFIGURATION_INVALID", { value });
  return {
    ...configuration.data,
    ...(threshold !== undefined && { threshold: String(threshold) }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
