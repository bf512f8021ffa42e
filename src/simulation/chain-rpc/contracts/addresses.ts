import {
  type Address,
  type Bytes32,
  type GroupConfig,
  type Hex,
  keccak256Hex,
  parseAddress,
  parseHex,
  toBytes,
} from "../../../ledger/index.ts";
import { addressWord } from "../../../ledger/abi-writer.ts";
import { rlpList, rlpNumber, rlpText } from "../rlp.ts";

/** The address of a contract that an account creates with a transaction, or a contract with `new`. */
export function createdAddress(creator: Address, nonce: number): Address {
  const encoded = rlpList(rlpText(creator.slice(2)) + rlpNumber(BigInt(nonce)));
  return lastBytes(keccak256Hex(toBytes(parseHex(`0x${encoded}`))));
}

/** The code of a group: a clone (ERC-1167) of the implementation, with its configuration behind the code. */
export function groupCode(implementation: Address, config: GroupConfig): Hex {
  return parseHex(
    `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3${encodeConfig(config)}`,
  );
}

/** Where the factory puts a group (EIP-1014). */
export function groupAddressOf(
  { factory, implementation }: Contracts,
  {
    creator,
    config,
    salt,
  }: {
    readonly creator: Address;
    readonly config: GroupConfig;
    readonly salt: Bytes32;
  },
): Address {
  const code = groupCode(implementation, config).slice(2);
  const size = (code.length / 2).toString(16).padStart(4, "0");
  const creation = keccakDigits(`61${size}3d81600a3d39f3${code}`);
  const ownSalt = keccakDigits(addressWord(creator) + salt.slice(2));
  return lastBytes(
    `0x${keccakDigits(`ff${factory.slice(2)}${ownSalt}${creation}`)}`,
  );
}

/** Where the contracts are. */
export interface Contracts {
  readonly factory: Address;
  readonly implementation: Address;
}

/** As `Committees.encode`: a byte for external calls, one for the threshold, and a word for each member. */
function encodeConfig({
  members,
  threshold,
  externalCalls,
}: GroupConfig): string {
  const head = `${externalCalls ? "01" : "00"}${threshold.toString(16).padStart(2, "0")}`;
  return head + members.map(addressWord).join("");
}

function keccakDigits(digits: string): string {
  return keccak256Hex(toBytes(parseHex(`0x${digits}`))).slice(2);
}

function lastBytes(hash: string): Address {
  return parseAddress(`0x${hash.slice(-40)}`);
}
