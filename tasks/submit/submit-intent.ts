import { z } from "zod";

import type { SubmitFact } from "../../src/view/submit.ts";
import { nodeAt } from "../shared/ask-node.ts";
import { parseArgs, readDomainCall } from "../shared/domain-call.ts";
import { findGroup } from "../shared/find-group.ts";
import { parseNumber } from "../shared/parse-option.ts";
import type { RpcClient } from "../shared/rpc-client.ts";
import { askWhy, waitForReceipt } from "../shared/transactions.ts";

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

const timeoutSeconds = 60;

/** Sends one intent to a node, and waits for its receipt if that is wanted. */
export async function submitIntent(
  options: SubmitOptions,
  tell: (fact: SubmitFact) => void,
): Promise<SubmitFact> {
  const args = parseArgs(options.args);
  const seconds =
    parseNumber("--timeout", options.timeout, { min: 1, max: 1_000_000 }) ??
    timeoutSeconds;
  const client = nodeAt(options.url);
  const group = await findGroup(client, options.group);
  const call = await readDomainCall(client, group, {
    name: options.function,
    args,
    isView: false,
  });
  const id = await client.ask(z.string(), "pgroup_sendTransaction", {
    domain: group.domain,
    group: group.id,
    from: options.from ?? "user",
    function: call.signature,
    input: call.args,
  });
  const submitted: SubmitFact = {
    type: "submitted",
    id,
    url: client.name,
    group: group.contractAddress,
    function: call.signature,
  };
  tell(submitted);
  if (options.wait !== true) return submitted;
  const ending = await endingOf(client, id, seconds);
  tell(ending);
  return ending;
}

async function endingOf(
  client: RpcClient,
  id: string,
  seconds: number,
): Promise<SubmitFact> {
  const receipt = await waitForReceipt(client, id, seconds);
  if (receipt === undefined)
    return { type: "open", id, why: await askWhy(client, id) };
  return receipt.success === true
    ? {
        type: "confirmed",
        id,
        block: receipt.blockNumber ?? null,
        transaction: receipt.transactionHash ?? null,
      }
    : { type: "reverted", id, reason: receipt.failureMessage ?? "" };
}
