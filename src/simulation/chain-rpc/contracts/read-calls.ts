import {
  type Address,
  type CommitteeChange,
  type CompactSignature,
  type Endorsements,
  type ExternalCall,
  type GroupConfig,
  type Bytes32,
  type Hex,
  keccak256Hex,
  LedgerInputError,
  parseCommitment,
  parseIntentId,
  parseStateId,
  type Transition,
} from "../../../ledger/index.ts";
import { type AbiReader, readAbi } from "../../../ledger/abi-reader.ts";
import { refuse } from "./checks.ts";
import type { Step } from "./step.ts";

const CALLS = "(address,bytes,uint64)[]";
const TRANSITION = `(uint64,bytes32[],bytes32[],bytes32[],bytes32[],bytes32,uint64,${CALLS})`;
const ENDORSEMENTS = "(uint256,(bytes32,bytes32)[])";
const GROUP_CONFIG = "(address[],uint8,bool)";

/** The first four bytes of a call. */
export function selectorOf(signature: string): string {
  return keccak256Hex(signature).slice(0, SELECTOR_DIGITS);
}

const SELECTOR_BYTES = 4;
const SELECTOR_DIGITS = 2 + 2 * SELECTOR_BYTES;
const WORD = 32;

/** The selector of a call's data. */
export function selectorIn(data: Hex): string {
  return data.slice(0, SELECTOR_DIGITS);
}

type ReadStep = (data: Hex, caller: Address) => Step;

const steps = new Map<string, ReadStep>([
  [
    selectorOf(`execute(${TRANSITION},${ENDORSEMENTS})`),
    (data) => {
      const read = argumentsOf(data);
      const transition = readTransition(data, tuple(read));
      const endorsements = readEndorsements(data, tuple(read));
      return { type: "Execute", transition, endorsements };
    },
  ],
  [
    selectorOf(`approve(${TRANSITION},address,${ENDORSEMENTS})`),
    (data) => {
      const read = argumentsOf(data);
      const transition = readTransition(data, tuple(read));
      const delegate = read.address();
      const endorsements = readEndorsements(data, tuple(read));
      return { type: "Approve", transition, delegate, endorsements };
    },
  ],
  [
    selectorOf(`executeApproved(${TRANSITION})`),
    (data, caller) => {
      const transition = readTransition(data, tuple(argumentsOf(data)));
      return { type: "ExecuteApproved", transition, caller };
    },
  ],
  [
    selectorOf(
      `changeCommittee((uint64,address[],uint8,uint64),${ENDORSEMENTS})`,
    ),
    (data) => {
      const read = argumentsOf(data);
      const change = readChange(data, tuple(read));
      const endorsements = readEndorsements(data, tuple(read));
      return { type: "ChangeCommittee", change, endorsements };
    },
  ],
]);

/** The step that a call to a group asks for; undefined if it is another function. Refuses data that cannot be read. */
export function readStep(data: Hex, caller: Address): Step | undefined {
  const read = steps.get(selectorIn(data));
  return read === undefined ? undefined : orRefuse(() => read(data, caller));
}

/** The configuration and salt of a call `createGroup`. */
export function readCreateGroup(data: Hex): {
  readonly config: GroupConfig;
  readonly salt: Bytes32;
} {
  return orRefuse(() => {
    const read = argumentsOf(data);
    const config = readConfig(data, tuple(read));
    return { config, salt: read.bytes32() };
  });
}

/** The arguments of a call `groupAddress`. */
export function readGroupAddress(data: Hex): {
  readonly creator: Address;
  readonly config: GroupConfig;
  readonly salt: Bytes32;
} {
  return orRefuse(() => {
    const read = argumentsOf(data);
    const creator = read.address();
    const config = readConfig(data, tuple(read));
    return { creator, config, salt: read.bytes32() };
  });
}

/** Arguments that are words. */
export function readWords<Value>(
  data: Hex,
  read: (reader: AbiReader) => Value,
): Value {
  return orRefuse(() => read(argumentsOf(data)));
}

export const selectors = {
  createGroup: selectorOf(`createGroup(${GROUP_CONFIG},bytes32)`),
  groupAddress: selectorOf(`groupAddress(address,${GROUP_CONFIG},bytes32)`),
  implementation: selectorOf("implementation()"),
  committee: selectorOf("committee()"),
  allowsExternalCalls: selectorOf("allowsExternalCalls()"),
  isFulfilled: selectorOf("isFulfilled(bytes32)"),
  isUnspent: selectorOf("isUnspent(bytes32)"),
  isApproved: selectorOf("isApproved(bytes32,address)"),
} as const;

/** Solidity reverts without a reason where data does not fit its types. */
function orRefuse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerInputError) return refuse({ type: "NoReason" });
    throw error;
  }
}

function argumentsOf(data: Hex): AbiReader {
  return readAbi(data, SELECTOR_BYTES);
}

/** Where the content of an argument begins: its offset counts from the first argument. */
function tuple(read: AbiReader): number {
  return SELECTOR_BYTES + offsetOf(read);
}

function offsetOf(read: AbiReader): number {
  const offset = read.uint();
  return offset > 2n ** 32n ? refuse({ type: "NoReason" }) : Number(offset);
}

function readTransition(data: Hex, start: number): Transition {
  const read = readAbi(data, start);
  return {
    epoch: read.uint64(),
    intents: read.bytes32List().map((id) => parseIntentId(id)),
    inputs: read.bytes32List().map((id) => parseStateId(id)),
    reads: read.bytes32List().map((id) => parseStateId(id)),
    outputs: read.bytes32List().map((id) => parseCommitment(id)),
    details: read.bytes32(),
    validUntil: read.uint64(),
    calls: readExternalCalls(data, start + offsetOf(read)),
  };
}

function readExternalCalls(data: Hex, start: number): readonly ExternalCall[] {
  const length = offsetOf(readAbi(data, start));
  const items = start + WORD;
  const offsets = readAbi(data, items);
  const calls: ExternalCall[] = [];
  for (let i = 0; i < length; i++) {
    const read = readAbi(data, items + offsetOf(offsets));
    const [target, bytes, gasMin] = [
      read.address(),
      read.bytes(),
      read.uint64(),
    ];
    calls.push({ target, data: bytes, gasMin });
  }
  return calls;
}

function readEndorsements(data: Hex, start: number): Endorsements {
  const read = readAbi(data, start);
  const signers = read.uint();
  const list = start + offsetOf(read);
  const length = offsetOf(readAbi(data, list));
  const words = readAbi(data, list + WORD);
  const signatures: CompactSignature[] = [];
  for (let i = 0; i < length; i++)
    signatures.push({ r: words.bytes32(), vs: words.bytes32() });
  return { signers, signatures };
}

function readChange(data: Hex, start: number): CommitteeChange {
  const read = readAbi(data, start);
  return {
    epoch: read.uint64(),
    members: read.addressList(),
    threshold: read.uint8(),
    validUntil: read.uint64(),
  };
}

function readConfig(data: Hex, start: number): GroupConfig {
  const read = readAbi(data, start);
  return {
    members: read.addressList(),
    threshold: read.uint8(),
    externalCalls: read.bool(),
  };
}
