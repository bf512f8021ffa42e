import { SigningKey } from "ethers";

import { ledgerDomain, parseAddress } from "../../../src/ledger/index.ts";
import { type NodeName, parseNodeName } from "../../../src/protocol/ids.ts";
import { digestOf } from "../../../src/protocol/outline.ts";
import type { UnsealedBundle } from "../../../src/protocol/transition.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { hashingOf } from "../../../src/domains/states/arrange.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import { networkIdOf } from "../../../src/network/network-id.ts";
import { createSealedTransport } from "../../../src/network/sealed-transport.ts";
import { openSocketNetwork } from "../../../src/network/socket/network.ts";
import { createLiar } from "../../helpers/lies/liar.ts";
import { randomFrom } from "../../helpers/random.ts";
import { accountsOf } from "./settings.ts";
import type { World } from "./world.ts";

/** Somebody who has the keys of a node, and lies with them. */
export interface LyingPeer {
  /** Tells every other node so many lies. */
  readonly lie: (count: number) => void;
  /** Honest nodes that it is connected to. */
  readonly connected: () => number;
  readonly stop: () => Promise<void>;
}

const HARDHAT_CHAIN_ID = 31_337n;
/** More starts than the honest node had before. */
const BOOT = 1_000;

/** Takes the place of a node that is down: on its port, and with its keys. */
export async function openLyingPeer(
  options: {
    readonly name: string;
    readonly group: string;
    readonly seed: number;
  },
  world: Pick<World, "factory" | "nodes" | "links" | "folderOf" | "portOf">,
): Promise<LyingPeer> {
  const { group, seed } = options;
  const name = nameOf(options.name);
  const names = [...world.nodes.keys()].map(nameOf);
  const others = names.filter((other) => other !== name);
  const identities = new Map(
    names.map((one) => [one, loadIdentity({ directory: world.folderOf(one) })]),
  );
  const identity = identities.get(name);
  const account = accountsOf(names.length).get(name);
  if (identity === undefined || account === undefined)
    throw new Error(`There is no node ${name}.`);
  const registry = new Map(
    [...identities].map(([one, { publicKey }]) => [one, publicKey]),
  );
  const host = "127.0.0.1";
  const sockets = await openSocketNetwork(
    {
      name,
      identity,
      registry,
      addresses: new Map(
        others.map((to) => {
          const port = world.links.portFor({ from: name, to });
          return [to, [{ host, port }]];
        }),
      ),
      listen: { host, port: world.portOf(name) },
    },
    { timers: machineTimers },
  );
  const key = new SigningKey(account.privateKey);
  const hashing = hashingOf({
    domain: ledgerDomain({
      chainId: HARDHAT_CHAIN_ID,
      group: parseAddress(group),
    }),
    epoch: 0n,
  });
  const liar = createLiar(
    { groups: [group], names },
    {
      random: randomFrom(seed),
      sign: (digest) => key.sign(digest).serialized,
      digestOf: (_group, bundle) => {
        try {
          return digestOf(hashing, bundle as UnsealedBundle);
        } catch {
          // It has not even the shape of a bundle.
          return undefined;
        }
      },
    },
  );
  const { factory } = world;
  const network = networkIdOf({ chainId: HARDHAT_CHAIN_ID, factory });
  const transport = createSealedTransport(
    { name, network, boot: BOOT, identity, registry },
    {
      connect: sockets.connect,
      receive: (_from, body) => {
        liar.hear(body);
      },
    },
  );
  return {
    lie: (count) => {
      for (let told = 0; told < count; told += 1)
        for (const other of others) transport.send(other, liar.lie());
    },
    connected: () =>
      [...sockets.status().peers.values()].filter(
        ({ isConnected }) => isConnected,
      ).length,
    stop: async () => {
      await transport.stop();
      await sockets.stop();
    },
  };
}

function nameOf(text: string): NodeName {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name.`);
  return name;
}
