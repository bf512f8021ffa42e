import { z } from "zod";

import { type Hex, toBytes, toHex } from "../../ledger/index.ts";
import type { DomainState, NewState } from "../domain.ts";
import { bytes, hashOf } from "./values.ts";

export const CODE = "code";

const codeType = z.object({ code: bytes }).strict();

/**
 * The state of a contract's code. It is named by its hash and never spent, so all contracts with the same code share it, and
 * it does no harm if there are two.
 */
export function codeState(code: Uint8Array): NewState {
  return { schema: CODE, label: hashOf(code), data: { code: toHex(code) } };
}

/** The code in a state; undefined if it is another one than the state is named by. */
export function readCode({ label, data }: DomainState): Uint8Array | undefined {
  const read: Hex | undefined = codeType.safeParse(data).data?.code;
  const code = read && toBytes(read);
  return code !== undefined && hashOf(code) === label ? code : undefined;
}
