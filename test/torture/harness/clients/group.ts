import { ask } from "../network/rpc.ts";
import { until } from "../processes/until.ts";

/** A group of all nodes, as clients need it. */
export interface TokenGroup {
  readonly address: string;
  readonly id: string;
}

const JOIN_MS = 240_000;

/** Creates a group of all nodes, and resolves when all have joined it. */
export async function createTokenGroup(
  nodes: readonly { readonly name: string; readonly url: string }[],
  threshold: number,
): Promise<TokenGroup> {
  const [first] = nodes;
  if (first === undefined) throw new Error("There are no nodes.");
  const wanted = {
    domain: "group-token",
    name: "torture",
    members: nodes.map(({ name }) => `user@${name}`),
    configuration: { threshold: String(threshold) },
    idempotencyKey: "group",
  };
  const { id, genesisTransaction } = await ask<{
    readonly id: string;
    readonly genesisTransaction: string;
  }>(first.url, { method: "pgroup_createGroup", params: [wanted] }, 30_000);
  const address = await until(
    { what: "the group is created", deadlineMs: JOIN_MS, everyMs: 200 },
    async () => {
      const receipt = await ask<{ readonly contractAddress?: string } | null>(
        first.url,
        { method: "ptx_getTransactionReceipt", params: [genesisTransaction] },
      );
      return receipt?.contractAddress;
    },
  );
  for (const { name, url } of nodes)
    await until(
      { what: `${name} joins the group`, deadlineMs: JOIN_MS, everyMs: 200 },
      async () =>
        (await ask<object | null>(url, {
          method: "pgroup_getGroupByAddress",
          params: [address],
        })) ?? undefined,
    );
  return { address, id };
}
