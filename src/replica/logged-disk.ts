import type { Disk, OpenDisk } from "../store/disk.ts";
import type { PostgresLog } from "./postgres-log.ts";

/**
 * A file whose turns are durable when they are in the log. The file itself is only a copy that a process may lose: nothing waits
 * for this machine's disk.
 */
export function openLoggedDisk(
  openDisk: OpenDisk,
  log: Pick<PostgresLog, "record" | "flush">,
): OpenDisk {
  return (file): Disk => ({
    ...openDisk(file),
    record: (turn) => {
      log.record(turn);
    },
    flush: (done) => {
      log.flush(done);
    },
    // The opening of a store is durable with the first flush after it, before anybody hears of it.
    flushNow: () => undefined,
  });
}
