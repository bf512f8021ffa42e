import type { ResolvedConfigurationVariable } from "hardhat/types/config";

import { SequencerError } from "../../src/plugin/errors.ts";
import {
  isToken,
  type ServersConfig,
} from "../../src/plugin/servers-config.ts";

/** Where operators reach something, and with which token. */
export interface OperatorAccess {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** Throws if operators would need no token. None is read: that may ask for a password. */
export function requireOperatorToken(
  { operatorToken }: ServersConfig,
  option: string,
): ResolvedConfigurationVariable {
  if (operatorToken === undefined)
    throw new SequencerError("OPERATOR_TOKEN_MISSING", { option });
  return operatorToken;
}

/** Reads the token of operators. */
export async function readOperatorAccess(
  config: ServersConfig,
  port: number,
  option: string,
): Promise<OperatorAccess> {
  const variable = requireOperatorToken(config, option);
  const token = await readToken(variable, "operatorToken");
  if (token === undefined)
    throw new SequencerError("OPERATOR_TOKEN_MISSING", { option });
  return { host: config.operatorHost, port, token };
}

/** Reads a token of the configuration. */
export async function readToken(
  variable: ResolvedConfigurationVariable | undefined,
  setting: string,
): Promise<string | undefined> {
  const token = await variable?.get();
  if (token !== undefined && !isToken(token))
    throw new SequencerError("SERVER_TOKEN_INVALID", { setting });
  return token;
}
