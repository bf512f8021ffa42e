import type {
  DeployedGroup,
  Deployment,
} from "../../src/plugin/deployment/facts.ts";
import { noCode } from "../../src/plugin/deployment/survey.ts";
import type { FoundGroup, Survey } from "../../src/plugin/deployment/survey.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import {
  addressOfEntry,
  type GroupEntry,
} from "../../src/plugin/groups-config.ts";

/** What a deployment is, apart from what the survey found. */
interface Circumstances {
  readonly network: string;
  readonly chainId: bigint;
  readonly sender: string;
  readonly isDryRun: boolean;
  readonly isTemporary: boolean;
  /** Groups that the configuration names on this network. */
  readonly groups: Readonly<Record<string, GroupEntry>>;
}

/** The deployment as it will be. Nothing of it has been sent yet. */
export function describe(
  { factory, contracts, proxyCode, group }: Survey,
  { groups, ...rest }: Circumstances,
): Deployment {
  const deployedGroup = group === undefined ? null : describeGroup(group);
  if (deployedGroup !== null) requireFreeName(deployedGroup, rest, groups);
  const hasAtomFactory = !factory.isConfigured || proxyCode !== noCode;
  const config = {
    ...(factory.isConfigured ? { factory: factory.address } : {}),
    ...(deployedGroup === null
      ? {}
      : {
          groups: { ...groups, [deployedGroup.name]: entryOf(deployedGroup) },
        }),
  };
  return {
    ...rest,
    factory: factory.address,
    implementation: factory.implementation,
    atomFactory: hasAtomFactory ? contracts.atomFactory.address : null,
    group: deployedGroup,
    transactions: [],
    gasUsed: 0n,
    config: deployedGroup === null ? null : config,
  };
}

function describeGroup({ request, address }: FoundGroup): DeployedGroup {
  const { name, config, salt, description = null } = request;
  return { name, address, ...config, salt, description };
}

/** The group, as the configuration has it. */
function entryOf({ address, description }: DeployedGroup): GroupEntry {
  if (description === null) return address;
  const { name: _, ...described } = description;
  return { address, ...described };
}

/** A second group under a name in use would push the first out of the configuration. */
function requireFreeName(
  { name, address }: DeployedGroup,
  { network }: { network: string },
  groups: Readonly<Record<string, GroupEntry>>,
): void {
  const entry = Object.hasOwn(groups, name) ? groups[name] : undefined;
  const used = entry === undefined ? address : addressOfEntry(entry);
  if (used.toLowerCase() !== address.toLowerCase())
    throw new SequencerError("GROUP_NAME_TAKEN", {
      name,
      network,
      address: used,
    });
}
