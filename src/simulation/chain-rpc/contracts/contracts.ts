import {
  type Address,
  type Bytes32,
  byteLength,
  type GroupConfig,
  type Hex,
  parseHex,
  parseTransitionHash,
  parseIntentId,
  parseStateId,
} from "../../../ledger/index.ts";
import {
  addressWord,
  boolWord,
  sequence,
  uintWord,
  wordList,
} from "../../../ledger/abi-writer.ts";
import type { Block, EmittedLog } from "../block.ts";
import { type VersionPorts, Versions } from "../versions.ts";
import { type Contracts, groupAddressOf, groupCode } from "./addresses.ts";
import { Refusal, refuse, requireCommittee } from "./checks.ts";
import { approvalKey, type GroupState, takeStep } from "./group.ts";
import { GroupVersions } from "./group-versions.ts";
import {
  readCreateGroup,
  readGroupAddress,
  readStep,
  readWords,
  selectorIn,
  selectors,
} from "./read-calls.ts";
import { encodeLedgerError } from "./write-errors.ts";
import { groupCreatedLog, logsOf } from "./write-logs.ts";

/** A call, in a block that is being built, or as if it were. */
export interface Call {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly at: Block;
  /** What the contract takes for the number of the block. */
  readonly blockNumber: number;
}

export type CallOutcome =
  | {
      readonly type: "Done";
      readonly output: Hex;
      readonly logs: readonly EmittedLog[];
    }
  /** The caller undoes what was written. */
  | { readonly type: "Reverted"; readonly data: Hex };

const NOTHING: Hex = parseHex("0x");
/** Stands for the code of contracts that are modelled, and of those that users create: it stops at once. */
const SOME_CODE: Hex = parseHex("0x00");

/** The contracts of a chain: the factory, its groups, and those of users, which do nothing. */
export class ContractModel {
  readonly #options: Contracts & { readonly chainId: bigint };
  readonly #ports: VersionPorts & Pick<GroupState, "failureOf" | "recover">;
  readonly #groups = new Map<Address, GroupVersions>();
  readonly #created: Versions<Address, boolean>;

  constructor(
    options: Contracts & { readonly chainId: bigint },
    ports: VersionPorts & Pick<GroupState, "failureOf" | "recover">,
  ) {
    this.#options = options;
    this.#ports = ports;
    this.#created = new Versions(ports);
  }

  /** A user creates a contract. */
  create(address: Address, at: Block): void {
    this.#created.set(address, at, true);
  }

  codeAt(address: Address, at: Block): Hex {
    const { factory, implementation } = this.#options;
    if (address === factory || address === implementation) return SOME_CODE;
    const group = this.#groups.get(address);
    if (group !== undefined && this.groupAt(address, at) !== undefined)
      return groupCode(implementation, group.config);
    return this.#created.get(address, at) === true ? SOME_CODE : NOTHING;
  }

  /** A group as of a block; undefined if it is not there. */
  groupAt(address: Address, at: Block): GroupState | undefined {
    return this.#groups.get(address)?.stateAt(at, this.#ports);
  }

  /** Calls to other addresses do nothing, and succeed. */
  call(call: Call): CallOutcome {
    const { factory, implementation } = this.#options;
    try {
      const { to, value } = call;
      if (to === factory || to === implementation) {
        if (value > 0n) refuse({ type: "NoReason" });
        return to === factory
          ? this.#callFactory(call)
          : this.#callImplementation(call);
      }
      const group = this.groupAt(to, call.at);
      if (group === undefined) return done(NOTHING);
      if (value > 0n) refuse({ type: "NoReason" });
      return this.#callGroup(group, call);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      return { type: "Reverted", data: encodeLedgerError(thrown.error) };
    }
  }

  #callFactory({ from, data, at }: Call): CallOutcome {
    const { implementation } = this.#options;
    switch (selectorIn(data)) {
      case selectors.implementation:
        return done(addressWord(implementation));
      case selectors.groupAddress: {
        const asked = readGroupAddress(data);
        requireCommittee(asked.config);
        return done(addressWord(groupAddressOf(this.#options, asked)));
      }
      case selectors.createGroup:
        return this.#createGroup(
          { creator: from, ...readCreateGroup(data) },
          at,
        );
      default:
        return refuse({ type: "NoReason" });
    }
  }

  #createGroup(
    wanted: {
      readonly creator: Address;
      readonly config: GroupConfig;
      readonly salt: Bytes32;
    },
    at: Block,
  ): CallOutcome {
    const { chainId, factory } = this.#options;
    const { config } = wanted;
    requireCommittee(config);
    const group = groupAddressOf(this.#options, wanted);
    if (this.groupAt(group, at) !== undefined)
      refuse({ type: "PrivacyGroupFactoryGroupExists", group });
    let versions = this.#groups.get(group);
    if (versions === undefined) {
      const options = { chainId, address: group, config };
      versions = new GroupVersions(options, this.#ports);
      this.#groups.set(group, versions);
    }
    versions.create(at);
    const log = groupCreatedLog(factory, { ...wanted, group });
    return done(addressWord(group), [log]);
  }

  /** Only its clones are groups. */
  #callImplementation({ from, data }: Call): CallOutcome {
    switch (selectorIn(data)) {
      case selectors.isFulfilled:
      case selectors.isUnspent:
      case selectors.isApproved:
        return done(boolWord(false));
      case selectors.committee:
      case selectors.allowsExternalCalls:
        return refuse({ type: "PrivacyGroupNotAnInstance" });
      default:
        return readStep(data, from) === undefined
          ? refuse({ type: "NoReason" })
          : refuse({ type: "PrivacyGroupNotAnInstance" });
    }
  }

  #callGroup(group: GroupState, call: Call): CallOutcome {
    const { from, to, data, blockNumber } = call;
    switch (selectorIn(data)) {
      case selectors.committee: {
        const { members, threshold } = group.committee;
        const list = wordList(members, addressWord);
        return done(sequence(uintWord(group.epoch), list, uintWord(threshold)));
      }
      case selectors.allowsExternalCalls:
        return done(boolWord(group.externalCalls));
      case selectors.isFulfilled: {
        const id = parseIntentId(readWords(data, (read) => read.bytes32()));
        return done(boolWord(group.fulfilled.has(id)));
      }
      case selectors.isUnspent: {
        const id = parseStateId(readWords(data, (read) => read.bytes32()));
        return done(boolWord(group.unspent.has(id)));
      }
      case selectors.isApproved: {
        const key = readWords(data, (read) => {
          const hash = parseTransitionHash(read.bytes32());
          return approvalKey(hash, read.address());
        });
        return done(boolWord(group.approvals.has(key)));
      }
      default: {
        const step = readStep(data, from) ?? refuse({ type: "NoReason" });
        const context = {
          block: BigInt(blockNumber),
          calldataBytes: byteLength(data),
        };
        return done(NOTHING, logsOf(to, takeStep(group, step, context)));
      }
    }
  }
}

function done(output: string, logs: readonly EmittedLog[] = []): CallOutcome {
  const hex = output.startsWith("0x") ? output : `0x${output}`;
  return { type: "Done", output: parseHex(hex), logs };
}
