import { readFileSync, statSync } from "node:fs";

import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import {
  type DescribedGroup,
  describedGroupType,
  type GroupEntry,
} from "../../src/plugin/groups-config.ts";

/** A group with the name by which nodes know it. */
export interface NamedGroup extends DescribedGroup {
  readonly name: string;
}

/** All lines of a deployment are a few kilobytes. */
const fileBytesMax = 2 ** 20;

/** The group of a line of `sequencer:deploy --json`: that of a `group` line, and that in a `deployment` line. */
const deployedType = z.object({
  name: z.string(),
  address: z.unknown(),
  description: z.record(z.unknown()).nullable(),
});

/** The description of a group in the configuration. */
export function groupOfConfiguration(
  name: string,
  {
    network,
    groups,
  }: {
    readonly network: string;
    readonly groups: Readonly<Record<string, GroupEntry>>;
  },
): NamedGroup {
  const entry = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (entry === undefined)
    throw new SequencerError("GROUP_NOT_CONFIGURED", {
      name,
      network,
      known: Object.keys(groups).join(", ") || "none",
    });
  if (typeof entry === "string")
    throw new SequencerError("GROUP_NOT_DESCRIBED", {
      place: `sequencer.networks.${network}.groups.${name}`,
      address: entry,
    });
  return { name, ...entry };
}

/** The description of the last group in a file with lines of `sequencer:deploy --json`. */
export function groupOfFile(file: string): NamedGroup {
  const invalid = (reason: string): SequencerError =>
    new SequencerError("GROUP_FILE_INVALID", { file, reason });
  const values = parseLines(readText(file, invalid), invalid);
  const found = values.map(deployedOf).findLast((one) => one !== undefined);
  if (found === undefined) throw invalid("it has no group");
  const { name, address, description } = found;
  if (description === null)
    throw new SequencerError("GROUP_NOT_DESCRIBED", {
      place: `The group "${name}" of ${file}`,
      address: String(address),
    });
  const { name: _, ...parts } = description;
  const group = describedGroupType.safeParse({ address, ...parts });
  if (group.success) return { name, ...group.data };
  const [issue] = group.error.issues;
  throw invalid(
    `the description of group "${name}" is wrong at "${issue?.path.join(".") ?? ""}": ${issue?.message ?? ""}`,
  );
}

function readText(
  file: string,
  invalid: (reason: string) => SequencerError,
): string {
  // Node does not take such a path at all.
  if (file === "" || file.includes("\0")) throw invalid("that is not a path");
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) throw invalid("there is no such file");
    if (!found.isFile()) throw invalid("that is not a file");
    if (found.size > fileBytesMax) throw invalid("it is too large");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof SequencerError || !(error instanceof Error))
      throw error;
    throw invalid(error.message);
  }
}

/** One JSON value over several lines, or one on each. */
function parseLines(
  text: string,
  invalid: (reason: string) => SequencerError,
): readonly unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const value = parseJson(line);
      if (value === undefined) throw invalid("it is not JSON");
      return value;
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function deployedOf(value: unknown): z.infer<typeof deployedType> | undefined {
  const isObject = typeof value === "object" && value !== null;
  const inner: unknown = isObject ? Reflect.get(value, "group") : undefined;
  return deployedType.safeParse(inner ?? value).data;
}
