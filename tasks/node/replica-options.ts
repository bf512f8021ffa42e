import { hostname } from "node:os";

import { encodePublicKey } from "../../src/keys/identity.ts";
import { loadWallet } from "../../src/keys/wallet-file.ts";
import { showAddress } from "../../src/network/socket/address.ts";
import type { ReplicaOptions } from "../../src/replica/options.ts";
import { migrations } from "../../src/store/schema.ts";
import { storeFileOf } from "./node-host.ts";
import type { Prepared } from "./prepare.ts";
import type { NodeDatabase } from "../shared/database.ts";
import { version } from "../shared/version.ts";

/** What a replica is, from the configuration and the keys of the node. */
export function replicaOptionsOf(
  prepared: Prepared,
  database: NodeDatabase,
  {
    name,
    url,
    operatorUrl,
  }: {
    readonly name: string;
    readonly url: string;
    readonly operatorUrl: string | undefined;
  },
): ReplicaOptions {
  const { request, accounts, identity, listen, sockets } = prepared;
  const { node: _node, host: _host, ...settings } = database;
  const { endorser, payer } = accounts;
  const reachable = (host: string): string =>
    ["0.0.0.0", "::", "[::]"].includes(host) ? hostname() : host;
  const reachableUrl = (text: string): string => {
    const address = new URL(text);
    address.hostname = reachable(address.hostname);
    return address.href.replace(/\/$/, "");
  };
  return {
    ...settings,
    name,
    file: storeFileOf(prepared),
    node: {
      name: request.name,
      chainId: BigInt(prepared.chainId),
      factory: prepared.factory,
      publicKey: encodePublicKey(identity.publicKey),
      account:
        endorser.address === payer.address
          ? endorser.address
          : `${endorser.address} ${payer.address}`,
      walletPrint: loadWallet({ directory: request.directory }).print,
      storeFormat: migrations.length,
    },
    about: {
      version: version(),
      rpc: reachableUrl(url),
      ...(operatorUrl !== undefined && {
        operatorRpc: reachableUrl(operatorUrl),
      }),
      peersAddress: showAddress({
        host: reachable(listen.host),
        port: sockets.port,
      }),
    },
  };
}
