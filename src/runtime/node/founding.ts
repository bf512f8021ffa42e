import { buildGroupConfig, parseAddress } from "../../ledger/index.ts";
import type { Policy } from "../../protocol/config.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import { genesisIdOf } from "../domains/genesis.ts";
import { createGroup, findLedgerGroup } from "../ledger/create-group.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import { type NewWork, NodeRefusal } from "../service.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Body } from "./body.ts";
import type { GroupRunner } from "./group-runner.ts";
import { Membership, type Verdict } from "./membership.ts";
import type { NodePorts } from "./ports.ts";
import type { Roster } from "./roster.ts";
import type { Turns } from "./turns.ts";

interface FoundingPorts extends NodePorts {
  readonly turns: Turns;
  readonly roster: Roster;
  readonly submitter: Submitter;
  readonly send: (to: NodeName, body: Body) => void;
  readonly onConsidered: (
    from: NodeName,
    group: GroupAddress,
    verdict: Verdict,
  ) => void;
  /** Throws a `NodeRefusal` if this node takes no part in the group. */
  readonly runner: (group: GroupAddress) => GroupRunner;
  /** Resolves when it is on disk. */
  readonly submit: (work: NewWork) => Promise<void>;
}

/** Creates groups and joins those of others: on the ledger, on the disk, and with what they begin with. */
export function createMembership(
  options: {
    readonly self: NodeName;
    readonly factory: string;
    readonly policy: Policy;
  },
  ports: FoundingPorts,
): Membership {
  const { client, store, submitter, roster } = ports;
  return new Membership(options, {
    ...ports,
    createOnLedger: async (plan) => {
      const [payer] = ports.payers;
      if (payer === undefined)
        throw new NodeRefusal("This node has nobody who pays.");
      return await createGroup(
        {
          factory: parseAddress(options.factory),
          payer: payer.address,
          config: buildGroupConfig(plan),
          salt: plan.salt,
        },
        { client, database: store.database, submitter },
      );
    },
    findOnLedger: async (group) =>
      await findLedgerGroup(client, {
        factory: parseAddress(options.factory),
        group,
      }),
    has: (group) => roster.has(group),
    join: async (stored) => {
      await join(stored, ports);
    },
    begin: async (group) => {
      await begin(group, ports);
    },
  });
}

/** Resolves when the group is on disk here. */
async function join(
  stored: StoredGroup,
  { turns, roster, store, onFact }: FoundingPorts,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    turns.add({
      isAlone: true,
      onDropped: () => {
        reject(new NodeRefusal("The node has stopped."));
      },
      run: ({ writes, deeds }) => {
        // Several peers may have offered it at the same time.
        if (roster.has(stored.address)) {
          deeds.push(resolve);
          return;
        }
        writes.push(() => {
          store.groups.save(stored);
        });
        deeds.push(() => {
          roster.add(stored);
          onFact({ type: "GroupJoined", group: stored.address });
          resolve();
        });
      },
    });
  });
}

/** Resolves when what a group begins with is on disk here. Beginning again changes nothing. */
async function begin(
  group: GroupAddress,
  { runner, store, submit }: FoundingPorts,
): Promise<void> {
  const own = runner(group);
  const payload = own.group.domain.genesis?.(own.group);
  const id = genesisIdOf(own.group);
  if (payload === undefined || own.isFulfilled(id)) return;
  if (store.records.intent(group, id) !== undefined) return;
  const intent = {
    group,
    id,
    laneSalt: "",
    payload,
    touches: undefined,
    dependsOn: [],
    isPrepareOnly: false,
  };
  await submit({ intents: [intent], transactions: [] });
}
