import {
  atomAbi,
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "./abi.ts";
import { type AbiReader, readAbi, signatureHash } from "./abi-reader.ts";
import type { LedgerError, LedgerErrorOf, LedgerErrorType } from "./errors.ts";
import { byteLength, type Hex, toBytes } from "./hex.ts";
import type { IntentId, StateId, TransitionHash } from "./ids.ts";
import { LedgerInputError } from "./input-error.ts";

type Named = Exclude<LedgerErrorType, "NoReason" | "Unknown">;

/** The ledger cuts reasons at 1,024 bytes, which leaves room for seven levels. Deeper data is not from it. */
const DEPTH_MAX = 8;
const SELECTOR_BYTES = 4;

const stateId = (read: AbiReader): StateId => read.bytes32() as StateId;
const transitionHash = (read: AbiReader): TransitionHash =>
  read.bytes32() as TransitionHash;
const text = (read: AbiReader): string =>
  new TextDecoder().decode(toBytes(read.bytes()));

/** How to read the arguments of each error, in the order in which they are encoded. */
const readers: {
  readonly [Type in Named]: (
    read: AbiReader,
    depth: number,
  ) => Omit<LedgerErrorOf<Type>, "type">;
} = {
  PrivacyGroupNotAnInstance: () => ({}),
  PrivacyGroupWrongEpoch: (read) => ({
    signed: read.uint64(),
    current: read.uint64(),
  }),
  PrivacyGroupExpired: (read) => ({
    validUntil: read.uint64(),
    blockNumber: read.uint(),
  }),
  PrivacyGroupNoIntent: () => ({}),
  PrivacyGroupTransitionTooLarge: (read) => ({
    length: read.uint(),
    lengthMax: read.uint(),
  }),
  PrivacyGroupInputWithoutSuccessor: (read) => ({ stateId: stateId(read) }),
  PrivacyGroupInputsNotAscending: (read) => ({ stateId: stateId(read) }),
  PrivacyGroupIntentFulfilled: (read) => ({
    intentId: read.bytes32() as IntentId,
  }),
  PrivacyGroupStateNotAvailable: (read) => ({ stateId: stateId(read) }),
  PrivacyGroupRegisterTaken: (read) => ({
    stateId: stateId(read),
    holder: stateId(read),
  }),
  PrivacyGroupUnknownSigners: (read) => ({
    signers: read.uint(),
    members: read.uint(),
  }),
  PrivacyGroupSignatureCount: (read) => ({
    signatures: read.uint(),
    signers: read.uint(),
  }),
  PrivacyGroupInvalidEndorsement: (read) => ({
    member: read.address(),
    recovered: read.address(),
  }),
  PrivacyGroupThresholdNotReached: (read) => ({
    signers: read.uint(),
    threshold: read.uint(),
  }),
  PrivacyGroupInvalidThreshold: (read) => ({
    threshold: read.uint(),
    members: read.uint(),
  }),
  PrivacyGroupTooManyMembers: (read) => ({
    members: read.uint(),
    membersMax: read.uint(),
  }),
  PrivacyGroupMembersNotAscending: (read) => ({
    previous: read.address(),
    member: read.address(),
  }),
  PrivacyGroupAlreadyApproved: (read) => ({
    transitionHash: transitionHash(read),
    delegate: read.address(),
  }),
  PrivacyGroupNotApproved: (read) => ({
    transitionHash: transitionHash(read),
    caller: read.address(),
  }),
  PrivacyGroupExternalCallsDisabled: () => ({}),
  ReentrancyGuardReentrantCall: () => ({}),
  ExternalCallWithoutCode: (read) => ({ target: read.address() }),
  ExternalCallGasTooLow: (read) => ({
    index: read.uint(),
    gasMin: read.uint(),
    available: read.uint(),
  }),
  ExternalCallFailed: (read, depth) => {
    const [index, target, reason] = [read.uint(), read.address(), read.bytes()];
    return { index, target, reason, cause: decode(reason, depth + 1) };
  },
  PrivacyGroupFactoryGroupExists: (read) => ({ group: read.address() }),
  AtomWithoutCalls: () => ({}),
  AtomAlreadyExecuted: (read) => ({ atom: read.address() }),
  AtomNotFactory: (read) => ({ caller: read.address() }),
  CloneArgumentsTooLong: () => ({}),
  Create2EmptyBytecode: () => ({}),
  FailedDeployment: () => ({}),
  InsufficientBalance: (read) => ({
    balance: read.uint(),
    needed: read.uint(),
  }),
  InvalidShortString: () => ({}),
  StringTooLong: (read) => ({ str: text(read) }),
  Error: (read) => ({ message: text(read) }),
  Panic: (read) => ({ code: read.uint() }),
};

/** Every error that {@link decodeLedgerError} knows, as a human-readable ABI. */
export const ledgerErrorAbi: readonly string[] = [
  ...new Set<string>([
    ...[
      ...privacyGroupAbi,
      ...privacyGroupFactoryAbi,
      ...atomFactoryAbi,
      ...atomAbi,
    ].filter((entry) => entry.startsWith("error ")),
    "error Error(string message)",
    "error Panic(uint256 code)",
  ]),
];

const nameBySelector = new Map<string, Named>(
  ledgerErrorAbi.map((entry) => [
    signatureHash(entry).slice(0, 2 + 2 * SELECTOR_BYTES),
    entry.slice("error ".length, entry.indexOf("(")) as Named,
  ]),
);

/** What revert data says. It never throws: data of no known error is `Unknown`, none at all is `NoReason`. */
export function decodeLedgerError(data: Hex): LedgerError {
  return decode(data, 0);
}

function decode(data: Hex, depth: number): LedgerError {
  if (byteLength(data) === 0) return { type: "NoReason" };
  const type = nameBySelector.get(data.slice(0, 2 + 2 * SELECTOR_BYTES));
  if (type === undefined || depth === DEPTH_MAX)
    return { type: "Unknown", data };
  try {
    return {
      type,
      ...readers[type](readAbi(data, SELECTOR_BYTES), depth),
    } as LedgerError;
  } catch (error) {
    if (error instanceof LedgerInputError) return { type: "Unknown", data };
    throw error;
  }
}
