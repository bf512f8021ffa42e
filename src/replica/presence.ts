import type { Timers } from "../async/timers.ts";
import type { Queries } from "./postgres-log.ts";
import type { ReplicaOptions, Role } from "./options.ts";

/** A replica that is outdated is passive, and cannot become active. */
export type ShownRole = Role | "outdated";

/** How often a replica says that it is there. */
const PRESENCE_MS = 500;

type PresenceOptions = Pick<ReplicaOptions, "schema" | "name" | "about"> & {
  readonly instance: string;
};

/** What a replica says of itself to people. Nothing is decided by it but who makes snapshots, and whether a wish can be granted. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #ports: { readonly timers: Timers; readonly control: Queries };
  #dueAt = 0;

  constructor(
    options: PresenceOptions,
    ports: { readonly timers: Timers; readonly control: Queries },
  ) {
    this.#options = options;
    this.#ports = ports;
  }

  /** It is said at the next opportunity. */
  isNews(): void {
    this.#dueAt = 0;
  }

  /** Says it, unless it was said a moment ago. */
  async show(role: ShownRole, applied: number): Promise<void> {
    const { timers, control } = this.#ports;
    const now = timers.now();
    if (now < this.#dueAt) return;
    this.#dueAt = now + PRESENCE_MS;
    const { schema, name, instance, about } = this.#options;
    const { version, rpc, operatorRpc, peersAddress } = about;
    await control.query({
      name: "presence",
      text: `INSERT INTO ${schema}.replica (name, instance, rpc, peers_address, version, role, applied_sequence, operator_rpc, seen)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
        ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, rpc = excluded.rpc,
          operator_rpc = excluded.operator_rpc, peers_address = excluded.peers_address, version = excluded.version, role = excluded.role,
          applied_sequence = excluded.applied_sequence, seen = excluded.seen`,
      values: [
        name,
        instance,
        rpc ?? null,
        peersAddress ?? null,
        version,
        role,
        applied,
        operatorRpc ?? null,
      ],
    });
  }
}

/** What an active replica needs to know of the others. */
export interface Others {
  /** The passive replica that an operator wants to be active. */
  readonly wanted: string | undefined;
  /** Whether there is a passive replica at all. */
  readonly arePassive: boolean;
}

/** How far behind a replica may be that is to take over: catching up takes far less than a second. */
export const PROMOTED_LAG_MAX = 1_000;
/** For so long a wish of an operator counts. */
export const WISH_MS = 10_000;

/** A condition of SQL: the replica in this row is passive, and shows that it lives. The lease in milliseconds is $2. */
const LIVES =
  "role = 'passive' AND seen > clock_timestamp() - $2 * interval '1 millisecond'";

export async function readOthers(
  client: Queries,
  {
    schema,
    bucket,
    name,
    leaseMs,
  }: Pick<ReplicaOptions, "schema" | "bucket" | "name" | "leaseMs">,
): Promise<Others> {
  const { rows } = await client.query<{
    readonly wanted: string | null;
    readonly are_passive: boolean;
  }>({
    name: "others",
    text: `SELECT EXISTS (SELECT FROM ${schema}.replica WHERE name <> $3 AND ${LIVES}) AS are_passive,
        (SELECT name FROM ${schema}.replica WHERE name = wanted AND name <> $3 AND ${LIVES}
           AND applied_sequence >= head_sequence - ${PROMOTED_LAG_MAX}
           AND wanted_at > clock_timestamp() - ${WISH_MS} * interval '1 millisecond') AS wanted
      FROM ${schema}.bucket WHERE bucket = $1`,
    values: [bucket, leaseMs, name],
  });
  const [row] = rows;
  return {
    wanted: row?.wanted ?? undefined,
    arePassive: row?.are_passive ?? false,
  };
}
