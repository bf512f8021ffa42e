import type { ResolvedConfigurationVariable } from "hardhat/types/config";
import type { NetworkConnection } from "hardhat/types/network";

import { clientLimits } from "../chain/client/limits.ts";
import {
  type ChainClientOptions,
  openChainClient,
} from "../chain/client/open.ts";
import { RateLimit } from "../chain/client/rate-limit.ts";
import type { ChainClient } from "../chain/ports.ts";
import { machineTimers } from "../async/timers.ts";
import { SequencerError } from "./errors.ts";

/** Clients of the chain of one connection. They share a rate limit, and are counted together. */
export interface ChainClients {
  readonly open: () => ChainClient;
  /** How many requests were sent, by method. */
  readonly requests: () => ReadonlyMap<string, number>;
  /** How often the endpoint refused a request because there were too many. */
  readonly rateLimited: () => number;
}

/**
 * How nodes speak to the chain of a connection: over HTTP with the address, the headers and the timeout of its network, or
 * through the provider of a simulated one. Configuration variables are read here, and never shown.
 */
export async function chainClientsOf(
  {
    networkConfig,
    networkName: network,
    provider,
  }: Pick<
    NetworkConnection<string>,
    "networkConfig" | "networkName" | "provider"
  >,
  options: {
    /** Where the chain tells of new blocks. */
    readonly webSocketUrl?: ResolvedConfigurationVariable | undefined;
  } = {},
): Promise<ChainClients> {
  const counts = new Map<string, number>();
  const rateLimit = new RateLimit({ timers: machineTimers });
  const shared: ChainClientOptions = {
    rateLimit,
    onRequest: (method) => {
      const isKnown = counts.has(method) || counts.size < clientLimits.methods;
      const name = isKnown ? method : "other";
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
  };
  const told = {
    requests: () => counts,
    rateLimited: () => rateLimit.hits,
  };
  if (networkConfig.type !== "http")
    return { ...told, open: () => openChainClient(provider, shared) };
  const url = await networkConfig.url.getUrl();
  const http: ChainClientOptions = {
    ...shared,
    timeoutMs: networkConfig.timeout,
    headers: networkConfig.httpHeaders,
    webSocketUrl: await readWebSocketUrl(network, options.webSocketUrl),
  };
  return { ...told, open: () => openChainClient(url, http) };
}

async function readWebSocketUrl(
  network: string,
  variable: ResolvedConfigurationVariable | undefined,
): Promise<string | undefined> {
  const url = await variable?.get();
  if (url === undefined) return undefined;
  if (!/^wss?:\/\//i.test(url) || !URL.canParse(url))
    throw new SequencerError("WEB_SOCKET_URL_INVALID", { network });
  return url;
}
