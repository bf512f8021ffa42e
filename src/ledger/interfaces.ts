import { Interface } from "ethers";

import {
  atomFactoryAbi,
  privacyGroupAbi,
  privacyGroupFactoryAbi,
} from "./abi.ts";

// Parsed once: that costs as much as a hundred encodings.

export const privacyGroupInterface: Interface = new Interface(privacyGroupAbi);
export const privacyGroupFactoryInterface: Interface = new Interface(
  privacyGroupFactoryAbi,
);
export const atomFactoryInterface: Interface = new Interface(atomFactoryAbi);
