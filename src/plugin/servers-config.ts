import { isIPv6 } from "node:net";

import { sensitiveStringSchema } from "@nomicfoundation/hardhat-zod-utils";
import type {
  ConfigurationVariableResolver,
  ResolvedConfigurationVariable,
  SensitiveString,
} from "hardhat/types/config";
import { z } from "zod";

import { isLoopback, TOKEN_LENGTH_MIN } from "../api/rpc/guard.ts";
import type { Conflict } from "./cluster-config.ts";

/** Where the servers of `sequencer:node` and `sequencer:supervise` listen, and to whom they answer. */
export interface ServersUserConfig {
  /** Where JSON-RPC listens: 127.0.0.1 unless told. On an address that other machines reach it needs `rpcToken`. */
  readonly rpcHost?: string;
  /** Every request must carry it: `Authorization: Bearer <token>`. */
  readonly rpcToken?: SensitiveString;
  /** Names by which clients may call it, besides those of the loopback interface and `rpcHost`. With a token, any unless told. */
  readonly rpcAllowedHosts?: readonly string[];
  /** Web pages that may use it, as in `https://wallet.example`. */
  readonly rpcAllowedOrigins?: readonly string[];
  /** Where `/health`, `/ready` and `/metrics` are: on 127.0.0.1 unless told. Elsewhere they need `statusToken`. */
  readonly statusHost?: string;
  /** Requests for `/metrics` must carry it. */
  readonly statusToken?: SensitiveString;
  /** Where the servers of operators listen: 127.0.0.1 unless told. They always need `operatorToken`. */
  readonly operatorHost?: string;
  /** Every request of an operator must carry it, and supervisors show it to replicas. */
  readonly operatorToken?: SensitiveString;
}

/** The same, resolved. */
export interface ServersConfig {
  readonly rpcHost: string;
  readonly rpcToken?: ResolvedConfigurationVariable;
  readonly rpcAllowedHosts?: readonly string[];
  readonly rpcAllowedOrigins: readonly string[];
  readonly statusHost: string;
  readonly statusToken?: ResolvedConfigurationVariable;
  readonly operatorHost: string;
  readonly operatorToken?: ResolvedConfigurationVariable;
}

const hostDefault = "127.0.0.1";

/** Of each list. */
const NAMES_MAX = 64;

/** Whether a text can be where a server listens: an IP address or a name, without a port. */
export function isHost(text: string): boolean {
  return isIPv6(text) || /^[A-Za-z0-9._-]{1,253}$/.test(text);
}

/** Whether a text can be a token: one that is too short can be guessed, and others do not fit a header. */
export function isToken(text: string): boolean {
  return (
    text.length >= TOKEN_LENGTH_MIN && /^[!-~](?:[ -~]*[!-~])?$/.test(text)
  );
}

const hostMessage =
  'Expected an address or a name of this machine without a port, as in "0.0.0.0"';
const namesMessage =
  'Expected names without a port, as in "node.example" or "[::1]"';
const originsMessage =
  'Expected origins of web pages, as in "https://wallet.example"';

const hostType = z
  .string({ invalid_type_error: hostMessage })
  .refine(isHost, { message: hostMessage });

const nameType = z
  .string({ invalid_type_error: namesMessage })
  .refine(
    (name) =>
      /^[A-Za-z0-9._-]{1,253}$/.test(name) ||
      isIPv6(/^\[(.*)\]$/.exec(name)?.[1] ?? ""),
    { message: namesMessage },
  );

const originType = z
  .string({ invalid_type_error: originsMessage })
  .refine(
    (text) =>
      /^https?:/.test(text) &&
      URL.canParse(text) &&
      new URL(text).origin === text,
    { message: originsMessage },
  );

/** What `sequencer.servers` may hold. */
export const serversType = z
  .object({
    rpcHost: hostType.optional(),
    rpcToken: sensitiveStringSchema.optional(),
    rpcAllowedHosts: z
      .array(nameType, { invalid_type_error: namesMessage })
      .max(NAMES_MAX, { message: `Expected at most ${NAMES_MAX} names` })
      .optional(),
    rpcAllowedOrigins: z
      .array(originType, { invalid_type_error: originsMessage })
      .max(NAMES_MAX, { message: `Expected at most ${NAMES_MAX} origins` })
      .optional(),
    statusHost: hostType.optional(),
    statusToken: sensitiveStringSchema.optional(),
    operatorHost: hostType.optional(),
    operatorToken: sensitiveStringSchema.optional(),
  })
  .strict();

/** Tokens that are missing, or that can be seen to be unfit. Those of configuration variables are read when a node starts. */
export function findServerConflicts(sequencer: unknown): readonly Conflict[] {
  const servers: unknown = Reflect.get(Object(sequencer), "servers");
  const valueOf = (key: string): unknown => Reflect.get(Object(servers), key);
  return (["rpc", "status", "operator"] as const).flatMap((server) => {
    const host = valueOf(`${server}Host`);
    const token = valueOf(`${server}Token`);
    const path = ["servers", `${server}Token`];
    if (typeof token === "string" && !isToken(token))
      return [
        {
          path,
          message: `Expected at least ${TOKEN_LENGTH_MIN} printable ASCII characters without spaces at the ends`,
        },
      ];
    const isReached =
      typeof host === "string" && isHost(host) && !isLoopback(host);
    return token === undefined && isReached
      ? [
          {
            path,
            message: `Expected a token, because other machines reach ${server}Host "${host}". Use configVariable("…")`,
          },
        ]
      : [];
  });
}

/** Fills in defaults. */
export function resolveServersConfig(
  {
    rpcHost = hostDefault,
    rpcToken,
    rpcAllowedHosts,
    rpcAllowedOrigins = [],
    statusHost = hostDefault,
    statusToken,
    operatorHost = hostDefault,
    operatorToken,
  }: ServersUserConfig = {},
  resolveVariable: ConfigurationVariableResolver,
): ServersConfig {
  return {
    rpcHost,
    ...(rpcToken !== undefined && { rpcToken: resolveVariable(rpcToken) }),
    ...(rpcAllowedHosts && { rpcAllowedHosts }),
    rpcAllowedOrigins,
    statusHost,
    ...(statusToken !== undefined && {
      statusToken: resolveVariable(statusToken),
    }),
    operatorHost,
    ...(operatorToken !== undefined && {
      operatorToken: resolveVariable(operatorToken),
    }),
  };
}
