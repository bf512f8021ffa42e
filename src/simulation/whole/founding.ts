import { type GroupAddress, parseGroupAddress } from "../../protocol/ids.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { DomainGroup } from "../../domains/domain.ts";
import type { Node } from "../../node/node.ts";
import type { Random } from "../random.ts";
import type { WholeGroupPlan } from "./settings.ts";
import type { WholeGroup } from "./users.ts";

/** Creates the group number `index` of a run, by one of its members. */
export async function foundGroup(
  {
    seed,
    index,
    plan: { trial, members },
  }: {
    readonly seed: number;
    readonly index: number;
    readonly plan: WholeGroupPlan;
  },
  ports: {
    readonly random: Random;
    readonly factory: string;
    readonly nodeOf: (name: NodeName) => Node | undefined;
  },
): Promise<WholeGroup> {
  const { random, factory, nodeOf } = ports;
  const contract = requireGroup(factory);
  const committee = members.slice(0, Math.max(1, members.length - 1));
  const drawn = { seed, contract, members, committee, threshold: 1 };
  const configuration = trial.configure(drawn, random);
  const endorsers =
    trial.domain.endorsersOf?.({ members, configuration }) ?? members;
  const threshold = Math.floor(endorsers.length / 2) + 1;
  const creator = nodeOf(random.pick(members));
  if (creator === undefined) throw new Error("Nobody is up.");
  const { address } = await creator.createGroup({
    id: `0x${(index + 1).toString(16).padStart(64, "0")}`,
    name: `group ${index}`,
    domain: trial.domain.name,
    members,
    threshold,
    configuration,
  });
  const group: DomainGroup = { address, members, endorsers, configuration };
  return {
    trial,
    address,
    members,
    endorsers,
    threshold,
    setupCalls: trial.setupCalls?.(group) ?? [],
    draw: trial.drawCalls(group),
  };
}

function requireGroup(address: string): GroupAddress {
  const parsed = parseGroupAddress(address);
  if (parsed === undefined) throw new Error(`${address} is not an address.`);
  return parsed;
}
