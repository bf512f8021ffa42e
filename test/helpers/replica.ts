import type { Timers } from "../../src/async/timers.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { Lease, type Taken } from "../../src/replica/lease.ts";
import { PostgresLog } from "../../src/replica/postgres-log.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { headAfter } from "../../src/store/log/chain.ts";
import type { RecordedTurn } from "../../src/store/log/recorder.ts";
import { encodeTurn } from "../../src/store/log/turn.ts";
import type { PostgresServer } from "./postgres.ts";

let schemas = 0;

/** A schema that no other test uses. */
export async function newSchema(server: PostgresServer): Promise<string> {
  const schema = `node_${++schemas}`;
  const { url } = server;
  await prepareSchema({ url, schema, buckets: 1, requestMs: 5_000 });
  return schema;
}

/** A process that wants the lease, and what became of it. */
export class Writer {
  readonly lease: Lease;
  readonly name: string;
  readonly losses: string[] = [];
  /** Turns whose flush succeeded. */
  readonly told: number[] = [];
  log: PostgresLog | undefined;
  readonly #schema: string;

  constructor(
    server: PostgresServer,
    options: {
      readonly schema: string;
      readonly name: string;
      readonly leaseMs?: number;
      readonly graceMs?: number;
      readonly url?: string;
    },
    timers: Timers = machineTimers,
  ) {
    const { name, schema } = options;
    this.name = name;
    this.#schema = schema;
    this.lease = new Lease(
      {
        url: server.url,
        bucket: 0,
        leaseMs: 1_000,
        graceMs: 500,
        instance: `instance of ${name}`,
        ...options,
      },
      {
        timers,
        onLost: (error) => {
          this.losses.push(error.message);
        },
      },
    );
  }

  /** Tries to take the lease, and opens the log if it could. */
  async take(): Promise<Taken | undefined> {
    const taken = await this.lease.take();
    if (taken !== undefined)
      this.log = new PostgresLog(
        { schema: this.#schema, bucket: 0, ...taken },
        { lease: this.lease },
      );
    return taken;
  }

  holds(): boolean {
    return this.lease.taken !== undefined;
  }

  async untilTaken(): Promise<Taken> {
    for (;;) {
      const taken = await this.take().catch(() => undefined);
      if (taken !== undefined) return taken;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Appends one turn; whether that succeeded. */
  async append(text: string): Promise<boolean> {
    const { log } = this;
    if (log === undefined) return false;
    const turn = this.#next(text);
    log.record(turn);
    return await new Promise((resolve) => {
      log.flush((error) => {
        if (error === null) this.told.push(turn.sequence);
        resolve(error === null);
      });
    });
  }

  #next(text: string): RecordedTurn {
    const before = this.#recorded ?? this.log?.head;
    if (before === undefined) throw new Error("There is no log.");
    const sql = "INSERT INTO things VALUES (?)";
    const encoded = encodeTurn([{ sql, values: [text], changes: 1 }]);
    const turn = {
      ...encoded,
      ...headAfter(before, encoded.body),
      previous: before.hash,
    };
    this.#recorded = turn;
    return turn;
  }

  #recorded: RecordedTurn | undefined;

  /** Begins anew at the head of the log, as a process does that starts again. */
  forget(): void {
    this.#recorded = undefined;
    this.log = undefined;
  }
}
