import type { Mode, Policy, SequencerConfig } from "../../protocol/config.ts";
import {
  parseGroupAddress,
  parseIntentId,
  parseNodeName,
  type GroupAddress,
  type NodeName,
} from "../../protocol/ids.ts";
import { limits } from "../../protocol/limits.ts";
import { rankingOf } from "../../protocol/selection.ts";
import type { State } from "../../protocol/transition.ts";
import { mintCoin } from "../coins.ts";
import { hashing } from "../hashing.ts";
import { listOf, numberOf, ScriptError, type Command } from "./script.ts";

/** A group as a script wants it. */
export type GroupConfig = Omit<SequencerConfig, "self" | "boot">;

/** `nodes alice bob carol threshold=2 policy=rotating range=4 retries=3 bundle=100 valid=12 mode=remote pool=bob,carol` */
export function readGroup(command: Command): GroupConfig {
  const { words, options } = command;
  const committee = words.map(nodeNamed);
  const number = (name: string, otherwise: number): number =>
    numberOf(options.get(name) ?? String(otherwise));
  return {
    contract: addressOf(0),
    members: committee,
    committee,
    mayKnow: () => true,
    threshold: number("threshold", committee.length),
    mode: modeOf(options.get("mode") ?? "elected"),
    pool: listOf(command, "pool").map(nodeNamed),
    policy: policyOf(options.get("policy") ?? "sticky"),
    rangeSizeBlocks: number("range", 4),
    heartbeatTicks: 5,
    heartbeatGrace: 3,
    closingGrace: 2,
    requestTicks: 4,
    requestTicksMax: 16,
    retryTicks: 4,
    stateTicks: 40,
    suspicionTicks: number("suspicion", 60),
    validForBlocks: number("valid", 12),
    retriesMax: number("retries", 3),
    bundleMax: number("bundle", limits.bundle),
    hashing,
  };
}

function modeOf(text: string): Mode {
  if (text !== "local" && text !== "remote" && text !== "elected")
    throw new ScriptError(`${text}: local, remote or elected`);
  return text;
}

function policyOf(text: string): Policy {
  if (text !== "sticky" && text !== "rotating")
    throw new ScriptError(`${text}: sticky or rotating`);
  return text;
}

export function nodeNamed(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new ScriptError(`${text} is no name of a node`);
  return name;
}

/** `coordinators 1=bob,carol 2=carol`: a contract for which the order of these ranges begins like that. */
export function findContract(
  { mode, pool, ...group }: GroupConfig,
  command: Command,
): GroupAddress {
  const committee = mode === "remote" ? pool : group.committee;
  const wanted = [...command.options.keys()].map((range) => ({
    range: numberOf(range),
    order: listOf(command, range),
  }));
  for (let candidate = 0; candidate < 100_000; candidate++) {
    const contract = addressOf(candidate);
    const ranking = rankingOf({ committee, contract });
    const fits = wanted.every(({ range, order }) => {
      const actual = ranking(range);
      return order.every((name, rank) => actual[rank] === name);
    });
    if (fits) return contract;
  }
  throw new ScriptError("no contract has these coordinators");
}

function addressOf(number: number): GroupAddress {
  const address = parseGroupAddress(
    `0x${number.toString(16).padStart(40, "0")}`,
  );
  if (address === undefined) throw new ScriptError("no address");
  return address;
}

/** One coin in each account, so that whoever spends from the same account contends for it. */
export function genesisStates(): State[] {
  const intentId = parseIntentId(`0x${"f".repeat(64)}`);
  if (intentId === undefined) return [];
  return ["group", "red", "blue"].map(
    (account, index) =>
      mintCoin({ account, amount: 100, index, intentId }).state,
  );
}
