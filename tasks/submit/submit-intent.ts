import { setTimeout } from "node:timers/promises";

import { FunctionFragment } from "ethers";
import { z } from "zod";

import { SequencerError } from "../../src/plugin/errors.ts";
import type { SubmitFact } from "../../src/view/submit.ts";
import { parseNumber } from "../shared/parse-option.ts";
import { RpcClient } from "../shared/rpc-client.ts";

/** What the user asks for, as typed. */
export interface SubmitOptions {
  readonly url?: string | undefined;
  readonly group?: string | undefined;
  readonly function?: string | undefined;
  readonly args?: string | undefined;
  readonly from?: string | undefined;
  readonly wait?: boolean;
  readonly timeout?: string | undefined;
}

/** The first node of `sequencer:run`. */
const urlDefault = "http://127.0.0.1:8550";
const timeoutSeconds = 60;
const pollMs = 50;

const groupType = z.object({
  id: z.string(),
  domain: z.string(),
  contractAddress: z.string().nullable(),
});
const receiptType = z
  .object({
    success: z.boolean().optional(),
    transactionHash: z.string().optional(),
    blockNumber: z.number().optional(),
    failureMessage: z.string().optional(),
  })
  .nullable();

/** Sends one intent to a node, and waits for its receipt if that is wanted. */
export async function submitIntent(
  options: SubmitOptions,
  tell: (fact: SubmitFact) => void,
): Promise<SubmitFact> {
  const fragment = parseFunction(options.function);
  const input = parseArgs(options.args);
  const seconds =
    parseNumber("--timeout", options.timeout, { min: 1, max: 1_000_000 }) ??
    timeoutSeconds;
  const client = new RpcClient(options.url ?? urlDefault);
  const { id: group, domain } = await findGroup(client, options.group);
  const id = await client.ask(z.string(), "pgroup_sendTransaction", {
    domain,
    group,
    from: options.from ?? "user",
    function: JSON.parse(fragment.format("json")) as unknown,
    input,
  });
  const submitted: SubmitFact = { type: "submitted", id, url: client.name };
  tell(submitted);
  if (options.wait !== true) return submitted;
  const receipt = await waitForReceipt(client, id, seconds);
  tell(receipt);
  return receipt;
}

async function waitForReceipt(
  client: RpcClient,
  id: string,
  seconds: number,
): Promise<SubmitFact> {
  const deadline = performance.now() + 1_000 * seconds;
  for (;;) {
    const method = "ptx_getTransactionReceipt";
    const receipt = await client.ask(receiptType, method, id);
    if (receipt !== null)
      return receipt.success === true
        ? {
            type: "confirmed",
            id,
            block: receipt.blockNumber ?? null,
            transaction: receipt.transactionHash ?? null,
          }
        : { type: "reverted", id, reason: receipt.failureMessage ?? "" };
    if (performance.now() > deadline)
      return { type: "open", id, why: await explain(client, id) };
    await setTimeout(pollMs);
  }
}

async function explain(client: RpcClient, id: string): Promise<string | null> {
  return await client.ask(z.string().nullable(), "sequencer_explain", id);
}

/** By address, or the only one that the node has. */
async function findGroup(
  client: RpcClient,
  address: string | undefined,
): Promise<z.infer<typeof groupType>> {
  if (address !== undefined) {
    if (!/^0x[\da-f]{40}$/i.test(address))
      throw new SequencerError("ADDRESS_INVALID", {
        name: "--group",
        value: address,
      });
    const type = groupType.nullable();
    const method = "pgroup_getGroupByAddress";
    const group = await client.ask(type, method, address.toLowerCase());
    if (group !== null) return group;
    throw new SequencerError("GROUP_UNKNOWN", { url: client.name, address });
  }
  const query = { limit: 2 };
  const groups = await client.ask(
    z.array(groupType),
    "pgroup_queryGroups",
    query,
  );
  const [only, another] = groups;
  if (only === undefined || another !== undefined)
    throw new SequencerError("GROUP_MISSING", {
      url: client.name,
      count: groups.length,
    });
  return only;
}

function parseFunction(text: string | undefined): FunctionFragment {
  if (text === undefined)
    throw new SequencerError("FUNCTION_INVALID", { value: "" });
  try {
    return FunctionFragment.from(text);
  } catch {
    throw new SequencerError("FUNCTION_INVALID", { value: text });
  }
}

/** By name as an object, or by position as a list. */
function parseArgs(text: string | undefined): unknown {
  if (text === undefined) return [];
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null) return args;
  } catch {
    // It is said below.
  }
  throw new SequencerError("ARGS_INVALID", { value: text });
}
