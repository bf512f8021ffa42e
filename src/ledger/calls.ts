import { Interface } from "ethers";

import {
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "./abi.ts";
import type { CommitteeChange, GroupConfig } from "./committee.ts";
import type { Endorsements } from "./endorsements.ts";
import { type Bytes32, type Hex, parseHex } from "./hex.ts";
import type { Address } from "./ids.ts";
import type { ExternalCall, Transition } from "./transition.ts";

/** Parsed once; parsing costs more than a thousand encodings. */
export const privacyGroupInterface: Interface = new Interface(privacyGroupAbi);
export const privacyGroupFactoryInterface: Interface = new Interface(
  privacyGroupFactoryAbi,
);
export const atomFactoryInterface: Interface = new Interface(atomFactoryAbi);

const encode = (
  contract: Interface,
  name: string,
  values: readonly unknown[],
): Hex => parseHex(contract.encodeFunctionData(name, values));

export function encodeExecute(
  transition: Transition,
  endorsements: Endorsements,
): Hex {
  return encode(privacyGroupInterface, "execute", [transition, endorsements]);
}

export function encodeApprove(
  transition: Transition,
  delegate: Address,
  endorsements: Endorsements,
): Hex {
  return encode(privacyGroupInterface, "approve", [
    transition,
    delegate,
    endorsements,
  ]);
}

export function encodeExecuteApproved(transition: Transition): Hex {
  return encode(privacyGroupInterface, "executeApproved", [transition]);
}

export function encodeChangeCommittee(
  change: CommitteeChange,
  endorsements: Endorsements,
): Hex {
  return encode(privacyGroupInterface, "changeCommittee", [
    change,
    endorsements,
  ]);
}

export function encodeCreateGroup(config: GroupConfig, salt: Bytes32): Hex {
  return encode(privacyGroupFactoryInterface, "createGroup", [config, salt]);
}

export function encodeExecuteAtom(
  calls: readonly ExternalCall[],
  salt: Bytes32,
): Hex {
  return encode(atomFactoryInterface, "execute", [calls, salt]);
}
