import { formatEther, formatUnits } from "ethers";

import type {
  DeployFact,
  Deployment,
} from "../../src/plugin/deployment/facts.ts";
import type { GroupEntry } from "../../src/plugin/groups-config.ts";

/** Rises when a line of `--json` changes in a way that readers must know. */
export const jsonVersion = 1;

const labels = {
  funding: "proxy signer",
  proxy: "proxy",
  factory: "factory",
  atomFactory: "atom factory",
  group: "group",
} as const;

const statuses = {
  present: "already there",
  configured: "from the configuration",
  skipped: "skipped: the deployment proxy is not on this chain",
} as const;

/** A fact as one line of JSON. Chain quantities are decimal strings. */
export function toJson(fact: DeployFact): string {
  return JSON.stringify({ version: jsonVersion, ...fact }, (_key, value) =>
    typeof value === "bigint" ? value.toString() : (value as unknown),
  );
}

/** A fact for people: mostly one line. */
export function toLines(fact: DeployFact): string[] {
  switch (fact.type) {
    case "network":
      return [
        line("network", `${fact.network}, chain ${fact.chainId.toString()}`),
        line("sender", fact.sender, `has ${ether(fact.balance)}`),
      ];
    case "waiting":
      return [
        line("waiting", `for ${fact.pending} transactions of the sender`),
      ];
    case "group":
      return [
        line(
          "group",
          fact.address,
          `"${fact.name}": ${fact.threshold} of ${fact.members.length} members endorse, external calls ${fact.externalCalls ? "allowed" : "off"}`,
        ),
      ];
    case "present":
      return [line(labels[fact.name], fact.address, statuses[fact.status])];
    case "pending":
      return [
        line(
          labels[fact.name],
          fact.block === null
            ? "waiting to be mined"
            : `in block ${fact.block}, ${fact.confirmations} of ${fact.wanted} confirmations`,
          `tx ${fact.tx}`,
          `${Math.round(fact.elapsedMs / 1_000)} s`,
        ),
      ];
    case "deployed":
      return [
        line(
          labels[fact.name],
          fact.address,
          fact.name === "funding" ? "funded" : "deployed",
          `gas ${count(fact.gasUsed)}`,
          `tx ${fact.tx}`,
        ),
      ];
    case "planned":
      return [
        line(
          labels[fact.name],
          fact.address,
          fact.name === "funding" ? "to fund" : "to deploy",
          `gas ${count(fact.gas)}`,
          `cost ${ether(fact.cost)}`,
        ),
      ];
    case "estimate":
      return estimateLines(fact);
    case "verification":
      return [
        line(
          "source code",
          fact.address,
          `${fact.contract} ${fact.status.replace("-", " ")}`,
          fact.status === "failed" ? fact.reason : fact.url,
        ),
      ];
    case "deployment":
      return deploymentLines(fact);
  }
}

function estimateLines(
  fact: Extract<DeployFact, { type: "estimate" }>,
): string[] {
  if (fact.gas === 0n) return [line("total", "nothing to send")];
  return [
    line(
      "total",
      `gas ${count(fact.gas)}`,
      `cost ${ether(fact.cost)} at ${formatUnits(fact.gasPrice, "gwei")} gwei`,
    ),
    line(
      "balance",
      ether(fact.balance),
      fact.balance < fact.needed
        ? `too little: nodes want to see ${ether(fact.needed)}`
        : "enough",
    ),
    line("note", "data fees of layer-2 chains are not included"),
  ];
}

function deploymentLines(deployment: Deployment): string[] {
  const { isDryRun, isTemporary, config, network } = deployment;
  if (isDryRun) return [line("dry run", "nothing was sent")];
  // Nothing belongs into the configuration that is gone when the command ends.
  if (isTemporary)
    return [
      line(
        "note",
        `the chain of network "${network}" ends with this command; for one that lasts, run \`npx hardhat node\` and deploy with \`--network localhost\``,
      ),
    ];
  return config === null
    ? [line("config", "nothing to add: the factory is found by its address")]
    : ["", "hardhat.config.ts:", ...configLines(network, config)];
}

function configLines(
  network: string,
  { factory, groups }: NonNullable<Deployment["config"]>,
): string[] {
  return [
    "  sequencer: {",
    "    networks: {",
    `      ${key(network)}: {`,
    ...(factory === undefined ? [] : [`        factory: "${factory}",`]),
    ...(groups === undefined
      ? []
      : [
          "        groups: {",
          ...Object.entries(groups).flatMap(([name, entry]) =>
            groupLines(key(name), entry).map((text) => `          ${text}`),
          ),
          "        },",
        ]),
    "      },",
    "    },",
    "  },",
  ];
}

function groupLines(name: string, entry: GroupEntry): string[] {
  if (typeof entry === "string") return [`${name}: "${entry}",`];
  return [
    `${name}: {`,
    ...Object.entries(entry).map(
      ([field, value]) => `  ${field}: ${JSON.stringify(value)},`,
    ),
    "},",
  ];
}

function line(label: string, ...parts: readonly string[]): string {
  return [label.padEnd(12), ...parts].join("  ");
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function ether(wei: bigint): string {
  return `${formatEther(wei)} ETH`;
}

function count(value: bigint): string {
  return value.toLocaleString("en");
}
