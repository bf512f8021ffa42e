export {
  atomAbi,
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "./abi.ts";
export {
  buildTransition,
  requireWellFormed,
  type TransitionParts,
} from "./build-transition.ts";
export {
  CALLDATA_BYTES_MAX,
  executeApprovedBytes,
  executeBytes,
  MEMBERS_MAX,
} from "./calldata-size.ts";
export {
  encodeApprove,
  encodeChangeCommittee,
  encodeCreateGroup,
  encodeExecute,
  encodeExecuteApproved,
  encodeExecuteAtom,
} from "./calls.ts";
export {
  buildCommittee,
  buildCommitteeChange,
  buildGroupConfig,
  type Committee,
  type CommitteeChange,
  type GroupConfig,
} from "./committee.ts";
export { decodeLedgerError, ledgerErrorAbi } from "./decode-error.ts";
export {
  type Endorsement,
  type Endorsements,
  packEndorsements,
} from "./endorsements.ts";
export type { LedgerError, LedgerErrorOf, LedgerErrorType } from "./errors.ts";
export {
  decodeLog,
  type LedgerEvent,
  type LedgerLog,
  topicOf,
} from "./events.ts";
export { explainLedgerError } from "./explain-error.ts";
export { decodeLogs, type LedgerFact } from "./facts.ts";
export {
  type Brand,
  byteLength,
  type Bytes32,
  type Hex,
  HEX_BYTES_MAX,
  parseBytes32,
  parseHex,
  toBytes,
  toBytes32,
  toHex,
} from "./hex.ts";
export {
  type Address,
  checksumAddress,
  type Commitment,
  type Digest,
  type IntentId,
  parseAddress,
  parseCommitment,
  parseDigest,
  parseIntentId,
  parseStateId,
  parseTransitionHash,
  parseUint64,
  type StateId,
  type TransitionHash,
  type Uint64,
  UINT64_MAX,
  ZERO_BYTES32,
} from "./ids.ts";
export { keccak256, keccak256Hex } from "./keccak.ts";
export { type LedgerInputCode, LedgerInputError } from "./input-error.ts";
export {
  atomFactoryInterface,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
} from "./interfaces.ts";
export {
  bitmapWordOf,
  intentIdAt,
  type Lane,
  LANE_BYTES,
  laneFrom,
  laneOf,
  parseLane,
  seriesOf,
} from "./lanes.ts";
export { ledgerErrorOf, revertDataOf } from "./revert-data.ts";
export { type Curve, nativeCurve } from "./native-curve.ts";
export { curve } from "./secp256k1.ts";
export {
  type CompactSignature,
  isCanonical,
  parseSignature,
  type SignatureLike,
} from "./signature.ts";
export {
  intentsHash,
  outputStateIds,
  type Register,
  registerOf,
  VACANCY,
} from "./state-ids.ts";
export {
  type ExternalCall,
  parseTransition,
  type Transition,
} from "./transition.ts";
export {
  approvalDigest,
  committeeChangeDigest,
  digestOf,
  hashApproval,
  hashCommitteeChange,
  hashTransition,
  ledgerDomain,
  type LedgerDomain,
  transitionDigest,
  walletDomain,
} from "./typed-data.ts";
export { type TypedDataField, typedDataTypes } from "./typed-data-types.ts";
export { findEndorsementError, recoverSigner } from "./verify-endorsements.ts";
