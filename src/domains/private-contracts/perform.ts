import type { NodeName } from "../../protocol/ids.ts";
import type { DomainGroup } from "../domain.ts";
import type { Pace } from "./evm/pace.ts";
import type { Execution } from "./execution.ts";
import { privateAddressOf } from "./identity.ts";
import { readOptions } from "./options.ts";
import type { Wanted } from "./payload.ts";
import type { Reader } from "./reader.ts";
import { reasonOf } from "./revert-reason.ts";

/** What came of it, or why nothing did. */
export type Performance =
  | Extract<Execution, { readonly type: "done" }>
  | { readonly type: "failed"; readonly reason: string };

/** Executes what somebody on a node wants. */
export async function perform(
  { from: name, to, data }: Wanted,
  {
    group,
    node,
    chance,
  }: {
    readonly group: DomainGroup;
    readonly node: NodeName;
    readonly chance: Uint8Array;
  },
  ports: { readonly reader: Reader; readonly pace: Pace },
): Promise<Performance> {
  const { reader } = ports;
  // A chain would call it a success. Here, somebody is too early, or in the wrong group.
  if (to !== undefined && reader.account(to)?.value.codeHash === undefined)
    return {
      type: "failed",
      reason: `There is no contract at ${to} in this group.`,
    };
  const options = readOptions(group);
  const from = privateAddressOf(group, { name, node });
  // Loaded when it is needed: it is large.
  const { execute } = await import("./evm/execute.ts");
  const execution = await execute({ from, to, data, chance }, options, ports);
  return execution.type === "done"
    ? execution
    : { type: "failed", reason: reasonOf(execution, options) };
}
