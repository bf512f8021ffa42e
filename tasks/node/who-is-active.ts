import type { Unavailable } from "../../src/api/rpc/gate.ts";
import type { Timers } from "../../src/async/timers.ts";
import type { Role } from "../../src/replica/options.ts";
import type { ReplicaStatus } from "../../src/replica/status.ts";

/** How often a passive replica looks who is active, so that it can tell its users. */
const LOOK_MS = 1_000;

/** Knows why this replica does not answer, and which one does. */
export class WhoIsActive {
  readonly #name: string;
  readonly #replica: string;
  readonly #ports: {
    readonly timers: Timers;
    readonly read: () => Promise<ReplicaStatus | undefined>;
    readonly onChange: () => void;
  };
  #role: Role = "passive";
  #active:
    { readonly name: string; readonly url: string | undefined } | undefined;
  #cancel: () => void = () => undefined;
  #isRunning = false;

  constructor(
    options: { readonly node: string; readonly replica: string },
    ports: {
      readonly timers: Timers;
      readonly read: () => Promise<ReplicaStatus | undefined>;
      /** Users are told something else from now on. */
      readonly onChange: () => void;
    },
  ) {
    this.#name = `${options.node}/${options.replica}`;
    this.#replica = options.replica;
    this.#ports = ports;
  }

  /** For users that ask this replica. */
  get why(): Unavailable {
    const { name, url } = this.#active ?? {};
    // An active replica that is not certain any more is about to be passive.
    const role =
      this.#role === "active" ? "not certain to be active" : this.#role;
    const who = name === undefined ? "" : `; ${name} is active`;
    return {
      why: `${this.#name} is ${role}${who}`,
      ...(url !== undefined && { activeUrl: url }),
    };
  }

  setRole(role: Role): void {
    this.#role = role;
    // Somebody else is active soon, if anybody.
    this.#active = undefined;
    if (this.#isRunning) void this.#look();
  }

  start(): void {
    this.#isRunning = true;
    void this.#look();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel();
  }

  /** Nothing depends on it: as long as the database does not answer, users are told less. */
  async #look(): Promise<void> {
    this.#cancel();
    const status = await this.#ports.read().catch(() => undefined);
    if (!this.#isRunning) return;
    const before = JSON.stringify(this.#active);
    const name = status?.active;
    const found = status?.replicas.find((one) => one.name === name);
    const isOther = name !== undefined && name !== this.#replica;
    this.#active = isOther ? { name, url: found?.rpc } : undefined;
    if (JSON.stringify(this.#active) !== before) this.#ports.onChange();
    this.#cancel();
    this.#cancel = this.#ports.timers.after(LOOK_MS, () => {
      void this.#look();
    });
  }
}
