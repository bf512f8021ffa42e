import { SequencerError } from "../../src/plugin/errors.ts";
import type {
  DescribedGroup,
  GroupEntry,
} from "../../src/plugin/groups-config.ts";
import {
  type NodeName,
  parseGroupAddress,
  parseNodeName,
} from "../../src/protocol/ids.ts";
import { ChainError } from "../../src/chain/ports.ts";
import { NodeRefusal, type NodeService } from "../../src/node/service.ts";
import type { Timers } from "../../src/async/timers.ts";

/** How long to wait before a chain that did not answer is asked again. */
const RETRY_MS = 5_000;

interface ConfiguredGroupsPorts {
  readonly service: Pick<NodeService, "name" | "importGroup">;
  readonly timers: Timers;
  readonly report: (error: unknown) => void;
}

/**
 * Lets a node take part in the groups that its configuration describes, as soon as the chain answers. What the ledger contradicts is
 * reported once. The result ends all attempts.
 */
export function joinConfiguredGroups(
  {
    network,
    groups,
  }: {
    readonly network: string;
    readonly groups: Readonly<Record<string, GroupEntry>>;
  },
  { service, timers, report }: ConfiguredGroupsPorts,
): () => void {
  const waiting = new Set<() => void>();
  let isOver = false;

  const attempt = (name: string, group: DescribedGroup): void => {
    service.importGroup(importOf(name, group)).catch((error: unknown) => {
      if (isOver) return;
      if (error instanceof ChainError) {
        const stop = timers.after(RETRY_MS, () => {
          waiting.delete(stop);
          attempt(name, group);
        });
        waiting.add(stop);
        return;
      }
      const isRefused = error instanceof NodeRefusal;
      const reason = isRefused ? error.message : "";
      report(
        isRefused
          ? new SequencerError("GROUP_NOT_JOINED", { name, network, reason })
          : error,
      );
    });
  };

  for (const [name, group] of Object.entries(groups))
    if (typeof group !== "string" && group.members.includes(service.name))
      attempt(name, group);
  return () => {
    isOver = true;
    for (const stop of waiting) stop();
  };
}

/** The configuration has been checked. */
function importOf(
  name: string,
  group: DescribedGroup,
): Parameters<NodeService["importGroup"]>[0] {
  const {
    id,
    domain,
    threshold,
    policy = "sticky",
    configuration = {},
  } = group;
  const address = parseGroupAddress(group.address.toLowerCase());
  const members = group.members
    .map(parseNodeName)
    .filter((member): member is NodeName => member !== undefined);
  if (address === undefined || members.length !== group.members.length)
    throw new Error(`The group ${name} was not checked.`);
  return {
    address,
    id: id.toLowerCase(),
    name,
    domain,
    members,
    threshold,
    policy,
    configuration,
  };
}
