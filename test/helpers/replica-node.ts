import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { inspect } from "node:util";

import { machineTimers } from "../../src/async/timers.ts";
import type { Activate } from "../../src/replica/activation.ts";
import {
  type Append,
  type NodeFacts,
  replicaDefaults,
  type ReplicaFact,
  type ReplicaOptions,
  type Role,
  type RoleDetails,
} from "../../src/replica/options.ts";
import { Replica } from "../../src/replica/replica.ts";
import { openMachineDisk } from "../../src/store/disk.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { tablesOf } from "./recorded-disk.ts";
import { anIntentRecord, groupAt } from "./stores.ts";

export const aNode: NodeFacts = {
  name: "alice",
  chainId: 31_337n,
  factory: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  publicKey: "a public key",
  account: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  walletPrint: "the print of a wallet",
  storeFormat: 1,
};

/** Quick ones, so that tests need not wait for long. */
export const quick = { leaseMs: 1_000, graceMs: 400, pollMs: 50 } as const;

/** Much more than anything takes, on a busy machine too. */
const WAIT_MS = 20_000;

export type ReplicaSettings = Pick<
  ReplicaOptions,
  "url" | "schema" | "name" | "file"
> &
  Partial<ReplicaOptions>;

/** The group of all intents. */
const group = groupAt(1);

interface Change {
  readonly role: Role;
  readonly details: RoleDetails;
}

/** A replica of a node that only keeps intents: what it told is what was durable by then. */
export class ReplicaNode {
  readonly replica: Replica;
  readonly changes: Change[] = [];
  readonly facts: ReplicaFact[] = [];
  readonly appends: Append[] = [];
  readonly exits: Error[] = [];
  /** Of the node, since it was activated last. */
  store: Store | undefined;
  #database: DatabaseSync | undefined;
  #looks: (() => void)[] = [];

  constructor(
    settings: ReplicaSettings,
    ports: {
      readonly activate?: (plain: Activate) => Activate;
      readonly onRole?: (role: Role) => void;
    } = {},
  ) {
    const { file } = settings;
    const plain: Activate = async (openDisk) => {
      const store = openStore(
        { file },
        {
          randomBytes,
          openDisk: (name) => {
            const disk = openDisk(name);
            this.#database = disk.database;
            return disk;
          },
        },
      );
      this.store = store;
      return await Promise.resolve({
        deactivate: async () => {
          store.close();
          await Promise.resolve();
        },
      });
    };
    this.replica = new Replica(
      {
        ...replicaDefaults,
        ...quick,
        node: aNode,
        about: { version: "1.0.0" },
        ...settings,
      },
      {
        timers: machineTimers,
        openDisk: openMachineDisk,
        activate: ports.activate?.(plain) ?? plain,
        onRole: (role, details) => {
          this.changes.push({ role, details });
          ports.onRole?.(role);
          this.#look();
        },
        onFact: (fact) => {
          this.facts.push(fact);
          this.#look();
        },
        onAppend: (append) => {
          this.appends.push(append);
        },
        exit: (error) => {
          this.exits.push(error);
          this.#look();
        },
      },
    );
  }

  /** Resolves when something holds, which is asked whenever something of this replica has changed. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    let timeout: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (holds()) resolve();
        else this.#looks.push(look);
      };
      this.#looks.push(look);
      timeout = setTimeout(() => {
        const { changes, facts, exits } = this;
        reject(
          new Error(
            `It did not come to that: ${inspect({ changes, facts, exits })}`,
          ),
        );
      }, WAIT_MS);
    });
    clearTimeout(timeout);
  }

  async untilRole(role: Role): Promise<RoleDetails> {
    await this.until(() => this.replica.role === role);
    const last = this.changes.at(-1);
    if (last === undefined) throw new Error("It has no role.");
    return last.details;
  }

  /** Resolves when it may answer as active: on a busy machine it may be late with its signs of life. */
  async untilCertain(): Promise<void> {
    while (!this.replica.isCertain) await this.replica.status();
  }

  async untilFact<Type extends ReplicaFact["type"]>(
    type: Type,
  ): Promise<ReplicaFact & { readonly type: Type }> {
    await this.until(() => this.facts.some((fact) => fact.type === type));
    return this.facts.find((fact) => fact.type === type) as ReplicaFact & {
      readonly type: Type;
    };
  }

  /** Writes an intent; resolves when it is durable. */
  async save(n: number, text = ""): Promise<void> {
    const { store } = this;
    if (store === undefined) throw new Error("It was never active.");
    store.write(() => {
      const record = anIntentRecord(n);
      const { intent } = record;
      const payload = `payload ${n} ${text}`;
      store.records.save(group, { ...record, intent: { ...intent, payload } });
    });
    await store.database.settled();
  }

  /** Writes intents of some size, one turn for each. */
  async saveMany(from: number, to: number, size = 1_000): Promise<void> {
    for (let n = from; n < to; n++) await this.save(n, "x".repeat(size));
  }

  /** The intents that its store has. */
  saved(): number[] {
    const open = this.store?.records.open(group) ?? [];
    return open
      .flatMap((record) => (record.kind === "intent" ? [record.sequence] : []))
      .sort((a, b) => a - b);
  }

  /** Of its store, since it was activated last. */
  get database(): DatabaseSync {
    if (this.#database === undefined) throw new Error("It was never active.");
    return this.#database;
  }

  /** All that its store has, but for the number of its starts. */
  tables(): unknown {
    const { boots: _, ...tables } = tablesOf(this.database);
    return tables;
  }

  #look(): void {
    const looks = this.#looks;
    this.#looks = [];
    for (const look of looks) look();
  }
}
