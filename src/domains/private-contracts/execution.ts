import type { Hex } from "../../ledger/index.ts";
import type { Changes } from "./changes.ts";
import type { Pace } from "./evm/pace.ts";
import type { ContractOptions } from "./options.ts";
import type { Reader } from "./reader.ts";

/** What is to be executed. */
export interface Call {
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: string | undefined;
  readonly data: Uint8Array;
  /** What `block.prevrandao` says. */
  readonly chance: Uint8Array;
}

export interface Log {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** What came of it. */
export type Execution =
  | {
      readonly type: "done";
      readonly returned: Uint8Array;
      readonly logs: readonly Log[];
      readonly gasUsed: bigint;
      /** The new contract. */
      readonly created: string | undefined;
      readonly changes: Changes;
    }
  | {
      readonly type: "failed";
      /** As the EVM names it: "revert", "out of gas", … */
      readonly error: string;
      readonly returned: Uint8Array;
    };

/** Executes a call on what a reader finds. It says the same to everybody. */
export type Execute = (
  call: Call,
  options: ContractOptions,
  ports: { readonly reader: Reader; readonly pace: Pace },
) => Promise<Execution>;
