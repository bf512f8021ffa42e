import { FunctionFragment } from "ethers";
import { z } from "zod";

import {
  type Call,
  functionLines,
  readCall,
} from "../../src/plugin/connection/call.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import { jsonRules } from "../../src/api/abi/read-value.ts";
import type { ReadyGroup } from "./find-group.ts";
import type { RpcClient } from "./rpc-client.ts";

const functionType = z
  .object({
    type: z.literal("function"),
    name: z.string(),
    stateMutability: z.string(),
    inputs: z.array(z.record(z.unknown())),
    outputs: z.array(z.record(z.unknown())),
  })
  .refine((entry) => FunctionFragment.isFragment(tryParse(entry)));

/** Arguments as typed: by name as an object, or by position as a list. */
export function parseArgs(text: string | undefined): unknown {
  if (text === undefined) return [];
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null) return args;
  } catch {
    // The error below says it.
  }
  throw new SequencerError("ARGS_INVALID", { value: text });
}

/** The function of the group's domain that the user means, with its arguments. Refuses what the node would refuse. */
export async function readDomainCall(
  client: RpcClient,
  { contractAddress, domain }: ReadyGroup,
  {
    name,
    args,
    isView,
  }: {
    readonly name: string | undefined;
    readonly args: unknown;
    /** Whether it must read, or must change states. */
    readonly isView: boolean;
  },
): Promise<Call> {
  const abi = await client.ask(
    z.array(functionType).nullable(),
    "sequencer_functions",
    contractAddress,
  );
  if (abi === null)
    throw new SequencerError("GROUP_LEFT", {
      group: contractAddress,
      url: client.name,
    });
  if (name === undefined || name.trim() === "")
    throw new SequencerError("FUNCTION_MISSING", {
      domain,
      known: functionLines(abi),
    });
  const call = readCall({ name: domain, abi }, name, args, jsonRules);
  const { signature, fragment } = call;
  const { stateMutability } = fragment;
  const isReading = stateMutability === "view" || stateMutability === "pure";
  if (isReading && !isView)
    throw new SequencerError("FUNCTION_IS_VIEW", { name: signature });
  if (!isReading && isView)
    throw new SequencerError("FUNCTION_IS_NO_VIEW", { name: signature });
  return call;
}

function tryParse(entry: object): unknown {
  try {
    return FunctionFragment.from(entry);
  } catch {
    return undefined;
  }
}
