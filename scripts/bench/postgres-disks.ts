import { nodeNames } from "../../src/plugin/cluster-config.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { Lease } from "../../src/replica/lease.ts";
import { openLoggedDisk } from "../../src/replica/logged-disk.ts";
import { PostgresLog } from "../../src/replica/postgres-log.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { type OpenDisk, openMachineDisk } from "../../src/store/disk.ts";
import { PostgresServer } from "../../test/helpers/postgres.ts";

/** The defaults of a node with a database. */
const LEASE_MS = 3_000;
const GRACE_MS = 1_000;

/** Disks of nodes whose logs are in a PostgreSQL server of their own, which waits for the disk. */
export interface PostgresDisks {
  readonly openDisk: (name: string) => OpenDisk;
  readonly stop: () => Promise<void>;
}

/** Starts the server, and takes the lease of each node. */
export async function openPostgresDisks(
  members: number,
): Promise<PostgresDisks> {
  const server = await PostgresServer.start();
  const leases: Lease[] = [];
  const disks = new Map<string, OpenDisk>();
  for (const name of nodeNames(members)) {
    const schema = `node_${name}`;
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
    const log = new PostgresLog({ schema, bucket: 0, ...taken }, { lease });
    disks.set(name, openLoggedDisk(openMachineDisk, log));
  }
  return {
    openDisk: (name) => {
      const disk = disks.get(name);
      if (disk === undefined) throw new Error(`There is no node ${name}.`);
      return disk;
    },
    stop: async () => {
      for (const lease of leases) await lease.release();
      await server.stop();
    },
  };
}
