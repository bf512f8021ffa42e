import { buildGroupConfig, parseAddress } from "../../ledger/index.ts";
import type { Policy } from "../../protocol/config.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import { genesisIdOf } from "../../domains/genesis.ts";
import { createGroup, findLedgerGroup } from "../../chain/create-group.ts";
import type { Submitter } from "../../chain/submitter/submitter.ts";
import type { Body } from "../body.ts";
import type { NodeDraft } from "../group-effects.ts";
import type { Intake } from "../intake.ts";
import { Membership } from "./membership.ts";
import type { GroupAccepted, NodeLoop } from "../node-events.ts";
import type { NodePorts } from "../ports.ts";
import type { Rejoining } from "./rejoining.ts";
import type { Requests } from "../requests.ts";
import type { Roster } from "../roster.ts";
import { NodeRefusal } from "../service.ts";

interface FoundingPorts extends NodePorts {
  readonly loop: Pick<NodeLoop, "post">;
  readonly requests: Pick<Requests, "ask">;
  readonly roster: Pick<Roster, "has" | "get">;
  readonly submitter: Submitter;
  readonly intake: Pick<Intake, "take">;
  readonly rejoining: Pick<Rejoining, "considered">;
  readonly send: (to: NodeName, body: Body) => void;
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
        throw new NodeRefusal(
          "This node has no account that pays. Configure a payer.",
        );
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
    onConsidered: (from, group, verdict) => {
      ports.rejoining.considered(from, group, verdict);
    },
    join: async (stored) => {
      await ports.requests.ask((request) => {
        ports.loop.post({ type: "group-accepted", stored, request });
      });
    },
    begin: async (group) => {
      await begin(group, ports);
    },
  });
}

/** Joins a group that is on the ledger; several peers may have offered it at the same time. */
export function acceptGroup(
  draft: NodeDraft,
  { stored, request }: GroupAccepted,
  { roster }: { readonly roster: Pick<Roster, "has"> },
): void {
  if (!roster.has(stored.address)) {
    draft.write({ type: "save-group", stored });
    draft.afterCommit({ type: "group-joined", stored });
  }
  draft.afterCommit({ type: "answer", request, refusal: undefined });
}

/** Resolves when what a group begins with is on disk here. Beginning again changes nothing. */
async function begin(
  group: GroupAddress,
  { roster, store, intake }: FoundingPorts,
): Promise<void> {
  const own = roster.get(group);
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
  const work = { intents: [intent], transactions: [] };
  await intake.take(work, () => undefined);
}
