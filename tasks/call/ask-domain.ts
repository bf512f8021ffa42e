import { z } from "zod";

import { nodeAt } from "../shared/ask-node.ts";
import { parseArgs, readDomainCall } from "../shared/domain-call.ts";
import { findGroup } from "../shared/find-group.ts";

/** What the user asks for, as typed. */
export interface CallOptions {
  readonly url?: string | undefined;
  readonly group?: string | undefined;
  readonly function?: string | undefined;
  readonly args?: string | undefined;
  readonly from?: string | undefined;
}

/** What `sequencer:call` tells. */
export interface AnswerFact {
  readonly type: "answer";
  readonly url: string;
  /** The address of the group. */
  readonly group: string;
  /** As in `balanceOf(string)`. */
  readonly function: string;
  /** By name; an output without a name by its place. Integers are decimal text. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Asks a function of a group's domain that changes nothing. */
export async function askDomain(options: CallOptions): Promise<AnswerFact> {
  const args = parseArgs(options.args);
  const client = nodeAt(options.url);
  const group = await findGroup(client, options.group);
  const call = await readDomainCall(client, group, {
    name: options.function,
    args,
    isView: true,
  });
  const outputs = await client.ask(z.record(z.unknown()), "pgroup_call", {
    domain: group.domain,
    group: group.id,
    from: options.from ?? "user",
    function: call.signature,
    input: call.args,
  });
  return {
    type: "answer",
    url: client.name,
    group: group.contractAddress,
    function: call.signature,
    outputs,
  };
}
