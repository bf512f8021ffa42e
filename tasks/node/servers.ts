import type { ResolvedConfigurationVariable } from "hardhat/types/config";

import { isLoopback } from "../../src/api/rpc/guard.ts";
import type { RpcOptions } from "../../src/api/rpc/server.ts";
import type { MonitorDoorOptions } from "../../src/monitor/door.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import type { ServersConfig } from "../../src/plugin/servers-config.ts";
import {
  type OperatorAccess,
  readOperatorAccess,
  readToken,
  requireOperatorToken,
} from "../shared/tokens.ts";
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
  /** Undefined if operators do not reach it. */
  readonly operator: OperatorAccess | undefined;
}

/** Reads the tokens. Options go before the configuration. */
export async function readServers(
  config: ServersConfig,
  request: Pick<NodeRequest, "rpcHost" | "statusHost" | "operatorPort">,
): Promise<ServerAccess> {
  requireTokens(config, request);
  const { rpcHost = config.rpcHost, statusHost = config.statusHost } = request;
  const { rpcAllowedHosts, rpcAllowedOrigins } = config;
  const rpcToken = await readToken(config.rpcToken, "rpcToken");
  const statusToken = await readToken(config.statusToken, "statusToken");
  const { operatorPort } = request;
  const operator =
    operatorPort === undefined
      ? undefined
      : await readOperatorAccess(config, operatorPort, "--operator-port");
  return {
    operator,
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
  request: Pick<NodeRequest, "rpcHost" | "statusHost" | "operatorPort">,
): void {
  requireToken(request.rpcHost ?? config.rpcHost, config.rpcToken, "rpc");
  requireToken(
    request.statusHost ?? config.statusHost,
    config.statusToken,
    "status",
  );
  if (request.operatorPort !== undefined)
    requireOperatorToken(config, "--operator-port");
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
