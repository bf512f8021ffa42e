import { getAddress } from "ethers";

import { SequencerError } from "../errors.ts";

/** An address with its checksum; `name` says in an error whose address it is. */
export function parseAddress(name: string, value: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new SequencerError("ADDRESS_INVALID", { name, value });
  try {
    return getAddress(value);
  } catch {
    throw new SequencerError("ADDRESS_CHECKSUM", { name, value });
  }
}
