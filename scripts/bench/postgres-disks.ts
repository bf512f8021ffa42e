import type pg from "pg";

import { nodeNames } from "../../src/plugin/cluster-config.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { Lease } from "../../src/replica/lease.ts";
import { openLoggedDisk } from "../../src/replica/logged-disk.ts";
import { PostgresLog } from "../../src/replica/postgres-log.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { WAKE_MS } from "../../src/replica/replica.ts";
import { openSession } from "../../src/replica/session.ts";
import { type OpenDisk, openMachineDisk } from "../../src/store/disk.ts";
import { FollowerProcess } from "./follower.ts";
import { PostgresServer } from "../../test/helpers/postgres.ts";

/** The defaults of a node with a database. */
const LEASE_MS = 3_000;
const GRACE_MS = 1_000;

/** Disks of nodes whose logs are in a PostgreSQL server of their own, which waits for the disk. */
export interface PostgresDisks {
  readonly openDisk: (name: string) => OpenDisk;
  /** A replica that follows the log of one of them. */
  readonly follow: () => Promise<FollowerProcess>;
  readonly stop: () => Promise<void>;
}

const schemaOf = (name: string): string => `node_${name}`;

/** Wakes those who follow a log now and then, as an active replica does. */
function wakes(client: pg.Client, schema: string): () => void {
  let isDue = true;
  return () => {
    if (!isDue) return;
    isDue = false;
    setTimeout(() => {
      isDue = true;
      void client.query(`SELECT pg_notify('${schema}', 'turns')`);
    }, WAKE_MS);
  };
}

/** Starts the server, and takes the lease of each node. */
export async function openPostgresDisks(
  members: number,
): Promise<PostgresDisks> {
  const server = await PostgresServer.start();
  const leases: Lease[] = [];
  const clients: pg.Client[] = [];
  const disks = new Map<string, OpenDisk>();
  for (const name of nodeNames(members)) {
    const schema = schemaOf(name);
    const { url } = server;
    await prepareSchema({ url, schema, buckets: 1, requestMs: LEASE_MS });
    const lease = new Lease(
      {
        ...{ url, schema, name, bucket: 0, instance: name },
        ...{ leaseMs: LEASE_MS, graceMs: GRACE_MS },
      },
      {
        timers: machineTimers,
        onLost: (error) => {
          throw error;
        },
      },
    );
    leases.push(lease);
    const taken = await lease.take();
    if (taken === undefined) throw new Error(`${name} did not get its lease.`);
    const client = await openSession({
      ...{ url, name: "bench", idleMs: undefined, requestMs: LEASE_MS },
    });
    clients.push(client);
    const log = new PostgresLog(
      { schema, bucket: 0, ...taken },
      { lease, onDurable: wakes(client, schema) },
    );
    disks.set(name, openLoggedDisk(openMachineDisk, log));
  }
  return {
    openDisk: (name) => {
      const disk = disks.get(name);
      if (disk === undefined) throw new Error(`There is no node ${name}.`);
      return disk;
    },
    follow: async () => {
      const [name = ""] = nodeNames(members);
      const { url } = server;
      return await FollowerProcess.start({ url, schema: schemaOf(name), name });
    },
    stop: async () => {
      for (const lease of leases) await lease.release();
      for (const client of clients) await client.end();
      await server.stop();
    },
  };
}
