import { sensitiveStringSchema } from "@nomicfoundation/hardhat-zod-utils";
import type {
  ConfigurationVariableResolver,
  ResolvedConfigurationVariable,
  SensitiveString,
} from "hardhat/types/config";
import { z } from "zod";

import {
  type ClusterConfig,
  clusterShape,
  type ClusterUserConfig,
  findConflicts,
  resolveClusterConfig,
} from "./cluster-config.ts";
import { addressType } from "./config-types.ts";
import {
  type DatabaseConfig,
  databaseType,
  type DatabaseUserConfig,
  resolveDatabaseConfig,
} from "./database-config.ts";
import { type GroupEntry, groupEntryType } from "./groups-config.ts";
import { type PeersConfig, peersType } from "./peers-config.ts";
import {
  findServerConflicts,
  resolveServersConfig,
  type ServersConfig,
  serversType,
  type ServersUserConfig,
} from "./servers-config.ts";

/** Where the ledger is on one network. */
export interface SequencerNetworkUserConfig {
  /** The factory to use instead of the one at the address that is the same on every chain. */
  readonly factory?: string;
  /**
   * Groups by the name that you give them: their addresses, or the descriptions that `sequencer:deploy --domain` prints. Nodes of
   * `sequencer:node` take part in those that are described.
   */
  readonly groups?: Readonly<Record<string, GroupEntry>>;
  /** Where the chain tells of new blocks, so that it is asked less often: `ws:` or `wss:`. Requests go to the network's `url`. */
  readonly webSocketUrl?: SensitiveString;
}

/** The key `sequencer` of `hardhat.config.ts`. */
export interface SequencerUserConfig extends ClusterUserConfig {
  /** The ledger, by the name of the network in `networks`. */
  readonly networks?: Readonly<Record<string, SequencerNetworkUserConfig>>;
  /** All nodes that run as processes of their own, by name: for `sequencer:node`. */
  readonly peers?: PeersConfig;
  /** The database of nodes that run as replicas, for `sequencer:node --replica`. */
  readonly database?: DatabaseUserConfig;
  /** Where the servers of `sequencer:node` listen, and to whom they answer. */
  readonly servers?: ServersUserConfig;
}

/** Where the ledger is on one network, resolved. */
export interface SequencerNetworkConfig {
  readonly factory: string | undefined;
  readonly groups: Readonly<Record<string, GroupEntry>>;
  readonly webSocketUrl?: ResolvedConfigurationVariable;
}

/** The key `sequencer`, resolved. */
export interface SequencerConfig extends ClusterConfig {
  readonly networks: Readonly<Record<string, SequencerNetworkConfig>>;
  readonly peers: PeersConfig;
  readonly database: DatabaseConfig | undefined;
  readonly servers: ServersConfig;
}

const networkType = z
  .object({
    factory: addressType.optional(),
    groups: z.record(z.string().min(1), groupEntryType).optional(),
    webSocketUrl: sensitiveStringSchema.optional(),
  })
  .strict();

/** What `hardhat.config.ts` may hold. Unknown keys are errors: they are typing mistakes. */
export const userConfigType = z.object({
  sequencer: z
    .object({
      networks: z.record(z.string(), networkType).optional(),
      peers: peersType.optional(),
      database: databaseType.optional(),
      servers: serversType.optional(),
      ...clusterShape,
    })
    .strict()
    .optional(),
});

/** Values of `hardhat.config.ts` that do not go together, also next to values that {@link userConfigType} refuses. */
export function findConfigConflicts(userConfig: {
  readonly sequencer?: unknown;
}): { path: (string | number)[]; message: string }[] {
  const { sequencer } = userConfig;
  return [...findConflicts(sequencer), ...findServerConflicts(sequencer)].map(
    ({ path, message }) => ({ path: ["sequencer", ...path], message }),
  );
}

/** Fills in defaults. The input has passed {@link userConfigType}. */
export function resolveSequencerConfig(
  user: SequencerUserConfig = {},
  resolveVariable: ConfigurationVariableResolver,
): SequencerConfig {
  const networks = Object.entries(user.networks ?? {}).map(
    ([name, { factory, groups = {}, webSocketUrl: url }]) => {
      const webSocketUrl = url && { webSocketUrl: resolveVariable(url) };
      return [name, { factory, groups, ...webSocketUrl }] as const;
    },
  );
  return {
    networks: Object.fromEntries(networks),
    peers: user.peers ?? {},
    database:
      user.database && resolveDatabaseConfig(user.database, resolveVariable),
    servers: resolveServersConfig(user.servers, resolveVariable),
    ...resolveClusterConfig(user),
  };
}
