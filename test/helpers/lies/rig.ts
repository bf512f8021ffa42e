import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SigningKey } from "ethers";
import hre from "hardhat";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import type { NodeName } from "../../../src/protocol/ids.ts";
import { digestOf } from "../../../src/protocol/outline.ts";
import type { UnsealedBundle } from "../../../src/protocol/transition.ts";
import { Member } from "../../../src/cluster/member.ts";
import { builtInDomains } from "../../../src/domains/built-in.ts";
import { createEndorser, createPayer } from "../../../src/keys/secp256k1.ts";
import { createWallet } from "../../../src/keys/wallet.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import { defaultSettings } from "../../../src/node/settings.ts";
import type { NodeGroup } from "../../../src/node/service.ts";
import { hashingOf } from "../../../src/domains/states/arrange.ts";
import type { Carrier } from "../../../src/network/carrier.ts";
import { readEnvelope } from "../../../src/network/envelope-bytes.ts";
import { Hub } from "../../../src/network/in-process.ts";
import { networkIdOf } from "../../../src/network/network-id.ts";
import { keyOf, names } from "../cluster.ts";
import { Members } from "../members.ts";
import type { Random } from "../random.ts";
import { openTestLedger } from "../runtime-ledger.ts";
import { nodeName } from "../stores.ts";
import { createLiar, type Liar } from "./liar.ts";

const BLOCK_MS = 50;

export const liarName: NodeName = nodeName("dave");

/** A hub in which somebody listens to everything. */
class TappedHub extends Hub {
  onBody: (body: string) => void = () => undefined;

  override connect(
    name: NodeName,
    arrive: (wire: Uint8Array) => void,
  ): Carrier {
    return super.connect(name, (wire) => {
      const parts = readEnvelope(wire);
      if (parts !== undefined && parts.header.from !== liarName)
        this.onBody(Buffer.from(parts.body).toString());
      arrive(wire);
    });
  }
}

/** Three honest nodes, and the keys of a fourth one in the hands of a liar. */
export interface LiarRig {
  readonly honest: readonly Member[];
  readonly createGroup: (plan: {
    readonly domain: string;
    readonly threshold: number;
    readonly configuration: Readonly<Record<string, string>>;
  }) => Promise<NodeGroup>;
  /** Begins to listen to what honest nodes say. */
  readonly liarIn: (groups: readonly NodeGroup[]) => Liar;
  /** Says something to an honest node as the fourth member. */
  readonly tell: (to: NodeName, body: string) => void;
  /** Why honest nodes stopped. */
  readonly fatal: readonly unknown[];
  readonly stop: () => Promise<void>;
}

export async function openLiarRig(random: Random): Promise<LiarRig> {
  const { provider } = await hre.network.create();
  const openClient = () => openChainClient(provider);
  const { chainId, factory } = await openTestLedger(openClient());
  // Blocks come also when nobody sends anything, as on other chains: what is valid until a block must end.
  await provider.request({
    method: "evm_setIntervalMining",
    params: [BLOCK_MS],
  });
  const dataDir = mkdtempSync(join(tmpdir(), "hostile-"));
  const keys = new Members(...names);
  const hub = new TappedHub();
  const fatal: unknown[] = [];
  const joined = new Map<string, number>();
  let onJoined = (): void => undefined;
  const peers = new Map(
    [...keys.registry].map(([name, publicKey]) => [
      name,
      { publicKey, endorser: createEndorser(keyOf(name)).address },
    ]),
  );
  const honest = [...keys.registry.keys()]
    .filter((name) => name !== liarName)
    .map(
      (name) =>
        new Member(
          {
            name,
            chainId,
            factory,
            file: join(dataDir, `${name}.db`),
            settings: {
              ...defaultSettings,
              tickMs: 20,
              heartbeatMs: 100,
              requestMs: 60,
              requestMsMax: 500,
              stateMs: 500,
              suspicionMs: 2_000,
            },
          },
          {
            connect: (self, arrive) => hub.connect(self, arrive),
            client: openClient(),
            identity: keys.member(name).identity,
            peers,
            endorser: createEndorser(keyOf(name)),
            wallet: createWallet(),
            domains: builtInDomains,
            payers: [createPayer(keyOf(name))],
            onFact: (fact) => {
              if (fact.type !== "GroupJoined") return;
              joined.set(fact.group, (joined.get(fact.group) ?? 0) + 1);
              onJoined();
            },
            onFatal: (error) => fatal.push(error),
          },
        ),
    );
  const [creator] = honest;
  if (creator === undefined) throw new Error("Nobody is honest.");
  const network = networkIdOf({ chainId, factory });
  const dave = hub.join(keys.member(liarName, { network }), () => undefined);
  for (const member of honest) member.start();
  return {
    honest,
    fatal,
    tell: (to, body) => {
      dave.send(to, body);
    },
    createGroup: async (plan) => {
      const group = await creator.node.createGroup({
        ...plan,
        id: random.bytes32(),
        name: "",
        members: names.map(nodeName),
      });
      await new Promise<void>((resolve) => {
        onJoined = () => {
          if (joined.get(group.address) === honest.length) resolve();
        };
        onJoined();
      });
      return group;
    },
    liarIn: (groups) => {
      const key = new SigningKey(keyOf(liarName));
      const liar = createLiar(
        { groups: groups.map(({ address }) => address), names },
        {
          random,
          sign: (digest) => key.sign(digest).serialized,
          digestOf: (group, bundle) => {
            const domain = ledgerDomain({
              chainId,
              group: parseAddress(group),
            });
            try {
              return digestOf(
                hashingOf({ domain, epoch: 0n }),
                bundle as UnsealedBundle,
              );
            } catch {
              // It has not even the shape of a bundle.
              return undefined;
            }
          },
        },
      );
      hub.onBody = liar.hear;
      return liar;
    },
    stop: async () => {
      await dave.stop();
      for (const member of honest) await member.stop();
      hub.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}
