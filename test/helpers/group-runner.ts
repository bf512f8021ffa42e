import { parseAddress, parseUint64 } from "../../src/ledger/index.ts";
import { GroupRunner } from "../../src/node/group-runner.ts";
import type { Directory } from "../../src/node/ports.ts";
import type { GroupSchedule } from "../../src/node/group-schedule.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import type { StoredGroup } from "../../src/store/groups.ts";
import type { Store } from "../../src/store/store.ts";
import { groupAt, nodeName, word } from "./stores.ts";
import { whispers } from "./whispers.ts";

const alice = nodeName("alice");

/** Alice knows only herself. */
export const lonelyDirectory: Directory = {
  names: () => [alice],
  endorserOf: (name) =>
    name === alice ? parseAddress(groupAt(21)) : undefined,
  isSignedBy: async () => await Promise.resolve(false),
};

/** A group whose only member is Alice; the number tells it from others. */
export function lonelyGroup(
  number: number,
  historyThrough?: number,
): StoredGroup {
  return {
    id: word(number),
    address: groupAt(number),
    name: "",
    domain: whispers.name,
    members: [alice],
    committee: [{ name: alice, endorser: parseAddress(groupAt(21)) }],
    threshold: 1,
    since: 1,
    earlier: [],
    mode: "elected",
    policy: "sticky",
    configuration: {},
    epoch: parseUint64(0n),
    createdBlock: 1,
    historyThrough,
    genesis: {
      factory: parseAddress(groupAt(41)),
      creator: parseAddress(groupAt(31)),
      salt: word(2),
      externalCalls: false,
      transactionHash: undefined,
    },
  };
}

/** Alice's part in such a group. */
export function lonelyRunner(
  stored: StoredGroup,
  ports: {
    readonly store: Store;
    readonly schedule: GroupSchedule<GroupRunner>;
  },
): GroupRunner {
  return new GroupRunner(
    { stored, self: alice, chainId: 1n, settings: defaultSettings, boot: 1 },
    { ...ports, domain: whispers },
  );
}
