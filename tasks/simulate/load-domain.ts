import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { Domain } from "../../src/domains/domain.ts";
import type { DomainKind } from "../../src/simulation/domains/domain.ts";
import {
  type DomainName,
  domainNames,
} from "../../src/simulation/domains/names.ts";
import type { Trial } from "../../src/simulation/domains/trial.ts";

/** A domain that comes with the package, by its name, or a module with one, by its path. */
export type DomainChoice =
  { readonly name: DomainName } | { readonly path: string };

/** Reads `--domain`. A path has a slash or an ending, which no name has. */
export function parseDomain(
  text: string | undefined,
): DomainChoice | undefined {
  if (text === undefined) return undefined;
  const name = domainNames.find((one) => one === text);
  if (name !== undefined) return { name };
  if (!/[/\\]|\.[cm]?[jt]s$/.test(text))
    throw new SequencerError("CHOICE_INVALID", {
      name: "--domain",
      value: text,
      choices: `${domainNames.join(", ")}, or the path of a module, as in ./my-domain.ts`,
    });
  if (!existsSync(text))
    throw new SequencerError("DOMAIN_MODULE_INVALID", {
      path: text,
      reason: "there is no such file",
    });
  return { path: text };
}

/** Domains are large, and most runs need none of them. */
export async function loadDomain(choice: DomainChoice): Promise<DomainKind> {
  const { onTrial } =
    await import("../../src/simulation/domains/runtime-domain.ts");
  return onTrial(await loadTrial(choice));
}

/** The domain for nodes as they ship. */
export async function loadTrial(choice: DomainChoice): Promise<Trial> {
  if (!("name" in choice)) return await readTrial(choice.path);
  const { trials } = await import("../../src/simulation/domains/trials.ts");
  return trials[choice.name];
}

/** What to do about a domain of the user's that cannot be simulated. Other errors stay as they are. */
export function explainUnusable(choice: DomainChoice, error: unknown): unknown {
  if ("name" in choice || !(error instanceof Error)) return error;
  const { path } = choice;
  const { name, message } = error;
  if (name === "CallsNotDrawn")
    return new SequencerError("DOMAIN_MODULE_INVALID", {
      path,
      reason: `${message} Export a DomainSimulation with drawCalls`,
    });
  if (name === "DomainRefusal")
    return new SequencerError("DOMAIN_MODULE_INVALID", {
      path,
      reason: `the domain refuses the group or a call that was drawn for it: ${message} Correct configure or drawCalls of its DomainSimulation`,
    });
  return error;
}

async function readTrial(path: string): Promise<Trial> {
  const found = await importDefault(path);
  if (isDomain(found)) {
    const { trialFromAbi } =
      await import("../../src/simulation/domains/from-abi.ts");
    return trialFromAbi(found);
  }
  if (isTrial(found)) return found;
  throw new SequencerError("DOMAIN_MODULE_INVALID", {
    path,
    reason:
      "its default export is neither a domain nor a simulation of one, with domain, configure and drawCalls",
  });
}

async function importDefault(path: string): Promise<unknown> {
  const url = pathToFileURL(resolve(path)).href;
  try {
    const module = (await import(url)) as Readonly<Record<string, unknown>>;
    return module["default"];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SequencerError(
      "DOMAIN_MODULE_INVALID",
      { path, reason: `it cannot be loaded: ${reason}` },
      error instanceof Error ? error : undefined,
    );
  }
}

function isDomain(value: unknown): value is Domain {
  return hasFunctions(value, ["assemble", "endorse", "check", "checkGroup"]);
}

function isTrial(value: unknown): value is Trial {
  return (
    hasFunctions(value, ["configure", "drawCalls"]) &&
    isDomain(Reflect.get(value, "domain"))
  );
}

function hasFunctions(
  value: unknown,
  names: readonly string[],
): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === "function")
  );
}
