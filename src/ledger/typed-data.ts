import { keccak256, keccak256Hex } from "./keccak.ts";
import type { CommitteeChange } from "./committee.ts";
import { byteLength, type Bytes32, type Hex, writeHex } from "./hex.ts";
import type { Address, Digest, TransitionHash } from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";
import type { ExternalCall, Transition } from "./transition.ts";
import {
  encodeStruct,
  encodeType,
  typedDataTypes,
} from "./typed-data-types.ts";

// Every node hashes every transition it assembles, endorses and checks, so this works on bytes in buffers
// that are allocated once. Nothing here is asynchronous, so no two calls ever use a buffer at the same time.

/** The EIP-712 domain of one group on one chain. Make it once and keep it: the separator is hashed only here. */
export interface LedgerDomain {
  readonly chainId: bigint;
  readonly group: Address;
  readonly separator: Bytes32;
}

const NAME = "PrivacyGroup";
const VERSION = "1";
const WORD = 32;

const keccakText = (text: string): Uint8Array => keccak256(text);
const EMPTY_HASH = keccakText("");

/** A buffer for the words of one struct, whose first word is the hash of its type. */
function structBuffer(
  typeName: string,
  fields: number,
): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(WORD * (1 + fields));
  bytes.set(keccakText(typeName));
  return { bytes, view: new DataView(bytes.buffer) };
}

const transitionStruct = structBuffer(encodeType("Transition"), 8);
const callStruct = structBuffer(
  encodeStruct("ExternalCall", typedDataTypes.Transition.ExternalCall),
  3,
);
const approvalStruct = structBuffer(encodeType("Approval"), 2);
const changeStruct = structBuffer(encodeType("CommitteeChange"), 4);
const digestBuffer = new Uint8Array(2 + 2 * WORD);
digestBuffer.set([0x19, 0x01]);

let scratch = new Uint8Array(64 * WORD);

function scratchOf(length: number): Uint8Array {
  if (scratch.length < length) scratch = new Uint8Array(2 * length);
  return scratch.subarray(0, length);
}

/** The domain of a group, for this module and, through {@link walletDomain}, for wallets. */
export function ledgerDomain({
  chainId,
  group,
}: {
  readonly chainId: bigint;
  readonly group: Address;
}): LedgerDomain {
  if (chainId < 0n || chainId >> 256n !== 0n) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `chainId must be from 0 to 2^256 - 1, but is ${describe(chainId)}.`,
    );
  }
  const { bytes } = structBuffer(
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
    4,
  );
  bytes.set(keccakText(NAME), WORD);
  bytes.set(keccakText(VERSION), 2 * WORD);
  writeHex(
    `0x${chainId.toString(16).padStart(2 * WORD, "0")}` as Hex,
    bytes,
    3 * WORD,
  );
  writeAddress(group, bytes, 4 * WORD);
  return { chainId, group, separator: keccak256Hex(bytes) };
}

/** The domain as wallets and ethers take it. */
export function walletDomain({
  chainId,
  group,
}: Pick<LedgerDomain, "chainId" | "group">): {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: Address;
} {
  return { name: NAME, version: VERSION, chainId, verifyingContract: group };
}

/** The EIP-712 struct hash of a transition, as the ledger's events carry it. */
export function hashTransition(transition: Transition): TransitionHash {
  const { bytes, view } = transitionStruct;
  view.setBigUint64(2 * WORD - 8, transition.epoch);
  bytes.set(hashWords(transition.intents), 2 * WORD);
  bytes.set(hashWords(transition.inputs), 3 * WORD);
  bytes.set(hashWords(transition.reads), 4 * WORD);
  bytes.set(hashWords(transition.outputs), 5 * WORD);
  writeHex(transition.details, bytes, 6 * WORD);
  view.setBigUint64(8 * WORD - 8, transition.validUntil);
  bytes.set(hashCalls(transition.calls), 8 * WORD);
  return keccak256Hex(bytes) as TransitionHash;
}

/** The EIP-712 struct hash of the approval of a transition for a delegate. */
export function hashApproval(
  transitionHash: TransitionHash,
  delegate: Address,
): Bytes32 {
  const { bytes } = approvalStruct;
  writeAddress(delegate, bytes, WORD);
  writeHex(transitionHash, bytes, 2 * WORD);
  return keccak256Hex(bytes);
}

/** The EIP-712 struct hash of a change of committee. */
export function hashCommitteeChange(change: CommitteeChange): Bytes32 {
  const { bytes, view } = changeStruct;
  view.setBigUint64(2 * WORD - 8, change.epoch);
  const members = scratchOf(WORD * change.members.length);
  members.fill(0);
  change.members.forEach((member, i) => {
    writeAddress(member, members, WORD * i);
  });
  bytes.set(keccak256(members), 2 * WORD);
  view.setUint8(4 * WORD - 1, change.threshold);
  view.setBigUint64(5 * WORD - 8, change.validUntil);
  return keccak256Hex(bytes);
}

/** What members sign to endorse a transition. */
export function transitionDigest(
  domain: LedgerDomain,
  transition: Transition,
): Digest {
  return digestOf(domain, hashTransition(transition));
}

/** What members sign to let `delegate` carry out a transition. */
export function approvalDigest(
  domain: LedgerDomain,
  transition: Transition,
  delegate: Address,
): Digest {
  return digestOf(domain, hashApproval(hashTransition(transition), delegate));
}

/** What members sign to hand over to a new committee. */
export function committeeChangeDigest(
  domain: LedgerDomain,
  change: CommitteeChange,
): Digest {
  return digestOf(domain, hashCommitteeChange(change));
}

/** The EIP-712 digest of a struct hash, for callers who have that hash already. */
export function digestOf(domain: LedgerDomain, structHash: Bytes32): Digest {
  writeHex(domain.separator, digestBuffer, 2);
  writeHex(structHash, digestBuffer, 2 + WORD);
  return keccak256Hex(digestBuffer) as Digest;
}

function hashWords(words: readonly Bytes32[]): Uint8Array {
  if (words.length === 0) return EMPTY_HASH;
  const bytes = scratchOf(WORD * words.length);
  let at = 0;
  for (const word of words) at = writeHex(word, bytes, at);
  return keccak256(bytes);
}

function hashCalls(calls: readonly ExternalCall[]): Uint8Array {
  if (calls.length === 0) return EMPTY_HASH;
  const hashes = new Uint8Array(WORD * calls.length);
  const { bytes, view } = callStruct;
  calls.forEach(({ target, data, gasMin }, i) => {
    const dataBytes = scratchOf(byteLength(data));
    writeHex(data, dataBytes, 0);
    writeAddress(target, bytes, WORD);
    bytes.set(keccak256(dataBytes), 2 * WORD);
    view.setBigUint64(4 * WORD - 8, gasMin);
    hashes.set(keccak256(bytes), WORD * i);
  });
  return keccak256(hashes);
}

/** An address fills the lower 20 bytes of its word; the upper 12 are zero already. */
function writeAddress(address: Address, bytes: Uint8Array, word: number): void {
  writeHex(address, bytes, word + 12);
}
