import {
  type Address,
  type Committee,
  type GroupConfig,
  type IntentId,
  ledgerDomain,
  type LedgerDomain,
  type StateId,
} from "../../../ledger/index.ts";
import type { Block } from "../block.ts";
import { type VersionPorts, Versions } from "../versions.ts";
import type { GroupState, IdSet } from "./group.ts";

/** Who endorses, and since when. */
interface Epoch {
  readonly epoch: bigint;
  readonly committee: Committee;
}

/** A group on all branches of the chain. */
export class GroupVersions {
  readonly config: GroupConfig;
  readonly #domain: LedgerDomain;
  readonly #epochs: Versions<"epoch", Epoch>;
  readonly #unspent: Versions<StateId, boolean>;
  readonly #fulfilled: Versions<IntentId, boolean>;
  readonly #approvals: Versions<string, boolean>;

  constructor(
    options: {
      readonly chainId: bigint;
      readonly address: Address;
      readonly config: GroupConfig;
    },
    ports: VersionPorts,
  ) {
    const { chainId, address, config } = options;
    this.config = config;
    this.#domain = ledgerDomain({ chainId, group: address });
    this.#epochs = new Versions(ports);
    this.#unspent = new Versions(ports);
    this.#fulfilled = new Versions(ports);
    this.#approvals = new Versions(ports);
  }

  /** The group is created in a block. */
  create(at: Block): void {
    const { members, threshold } = this.config;
    this.#epochs.set("epoch", at, {
      epoch: 0n,
      committee: { members, threshold },
    });
  }

  /** The group as of a block; undefined if it is not there. What is written belongs to that block. */
  stateAt(
    at: Block,
    ports: Pick<GroupState, "failureOf" | "recover">,
  ): GroupState | undefined {
    const epochs = this.#epochs;
    let current = epochs.get("epoch", at);
    if (current === undefined) return undefined;
    const update = (change: Partial<Epoch>): void => {
      if (current === undefined) return;
      current = { ...current, ...change };
      epochs.set("epoch", at, current);
    };
    const { epoch, committee } = current;
    return {
      domain: this.#domain,
      externalCalls: this.config.externalCalls,
      failureOf: ports.failureOf,
      recover: ports.recover,
      get epoch() {
        return current?.epoch ?? epoch;
      },
      set epoch(next) {
        update({ epoch: next });
      },
      get committee() {
        return current?.committee ?? committee;
      },
      set committee(next) {
        update({ committee: next });
      },
      unspent: idsAt(this.#unspent, at),
      fulfilled: idsAt(this.#fulfilled, at),
      approvals: idsAt(this.#approvals, at),
    };
  }
}

function idsAt<Id>(versions: Versions<Id, boolean>, at: Block): IdSet<Id> {
  return {
    has: (id) => versions.get(id, at) === true,
    add: (id) => {
      versions.set(id, at, true);
    },
    delete: (id) => {
      if (versions.get(id, at) !== true) return false;
      versions.set(id, at, false);
      return true;
    },
  };
}
