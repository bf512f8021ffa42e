import type { ResolvedConfigurationVariable } from "hardhat/types/config";

import { isLoopback } from "../../src/api/rpc/guard.ts";
import type { RpcOptions } from "../../src/api/rpc/server.ts";
import type { MonitorDoorOptions } from "../../src/monitor/door.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import {
  isToken,
  type ServersConfig,
} from "../../src/plugin/servers-config.ts";
import type { NodeRequest } from "./options.ts";

/** Where the servers of a node listen, and to whom they answer. */
export interface ServerAccess {
  readonly rpc: Pick<
    RpcOptions,
    "host" | "token" | "allowedHosts" | "allowedOrigins"
  > & { readonly host: string };
  readonly status: Pick<MonitorDoorOptions, "host" | "token"> & {
    readonly host: string;
  };
}

/** Reads the tokens. Options go before the configuration. */
export async function readServers(
  config: ServersConfig,
  request: Pick<NodeRequest, "rpcHost" | "statusHost">,
): Promise<ServerAccess> {
  requireTokens(config, request);
  const { rpcHost = config.rpcHost, statusHost = config.statusHost } = request;
  const { rpcAllowedHosts, rpcAllowedOrigins } = config;
  const rpcToken = await readToken(config.rpcToken, "rpcToken");
  const statusToken = await readToken(config.statusToken, "statusToken");
  return {
    rpc: {
      host: rpcHost,
      token: rpcToken,
      allowedHosts: rpcAllowedHosts,
      allowedOrigins: rpcAllowedOrigins,
    },
    status: { host: statusHost, token: statusToken },
  };
}

/** Whether there is a token for every server that other machines reach. None is read: that may ask for a password. */
export function requireTokens(
  config: ServersConfig,
  request: Pick<NodeRequest, "rpcHost" | "statusHost">,
): void {
  requireToken(request.rpcHost ?? config.rpcHost, config.rpcToken, "rpc");
  requireToken(
    request.statusHost ?? config.statusHost,
    config.statusToken,
    "status",
  );
}

function requireToken(
  host: string,
  token: ResolvedConfigurationVariable | undefined,
  server: "rpc" | "status",
): void {
  if (token !== undefined || isLoopback(host)) return;
  throw new SequencerError("SERVER_TOKEN_MISSING", {
    host,
    option: `--${server}-host`,
    setting: `${server}Token`,
  });
}

async function readToken(
  variable: ResolvedConfigurationVariable | undefined,
  setting: string,
): Promise<string | undefined> {
  const token = await variable?.get();
  if (token !== undefined && !isToken(token))
    throw new SequencerError("SERVER_TOKEN_INVALID", { setting });
  return token;
}
