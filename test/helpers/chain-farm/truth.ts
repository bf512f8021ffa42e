import { names } from "../cluster.ts";
import { aTill } from "../till.ts";
import type { FarmNodes } from "./farm-nodes.ts";
import type { Sent } from "./scene.ts";

interface Receipt {
  readonly success?: true;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  readonly failureMessage?: string;
}

/** The receipt of a transaction, as its node tells it now. */
export async function receiptOf(
  { nodes }: FarmNodes,
  { node, id }: Pick<Sent, "node" | "id">,
): Promise<Receipt | null> {
  return await nodes.ask(node, "ptx_getTransactionReceipt", id);
}

/** No node took it: its receipt names the empty transaction that has used up its nonce. */
export function isDropped({ failureMessage = "" }: Receipt): boolean {
  return failureMessage.startsWith("PD099013");
}

/** Everything that nodes tell their users, and the chain does not say, in words. */
export async function untrueThings(
  parts: FarmNodes,
  sent: readonly Sent[],
): Promise<readonly string[]> {
  const untrue: string[] = [];
  let added = 0;
  for (const one of sent) {
    const receipt = await receiptOf(parts, one);
    if (receipt?.success === true && one.kind === "add") added++;
    if (receipt !== null && (await isTrue(parts, one, receipt))) continue;
    const { nodes } = parts;
    const said =
      receipt ?? (await nodes.ask(one.node, "sequencer_explain", one.id));
    untrue.push(
      `${one.kind} ${one.id} of ${one.node}: ${JSON.stringify(said)}`,
    );
  }
  const total = await totalOf(parts);
  if (total !== added) untrue.push(`The till has ${total}, not ${added}.`);
  const minted = sent.filter(({ kind }) => kind === "mint").length;
  for (const name of names) {
    const balance = await potAt(parts, name);
    if (balance !== minted)
      untrue.push(`${name} has ${balance} in the pot, not ${minted}.`);
  }
  return untrue;
}

async function isTrue(
  { nodes }: FarmNodes,
  { kind }: Sent,
  receipt: Receipt,
): Promise<boolean> {
  const { transactionHash, success = false } = receipt;
  const truth = (await nodes.client.request("eth_getTransactionReceipt", [
    transactionHash,
  ])) as { readonly blockNumber: string; readonly status: string } | null;
  return (
    truth !== null &&
    Number(truth.blockNumber) === receipt.blockNumber &&
    (truth.status === "0x1") === (success || isDropped(receipt)) &&
    // Only public ones can fail: for lack of gas, if another chain told how much they need.
    (kind !== "mint" || success) &&
    (kind !== "take" || !success)
  );
}

async function totalOf({ nodes, till }: FarmNodes): Promise<number> {
  const data = aTill().coder.encodeFunctionData("total", []);
  const call = { to: till, data };
  return Number(await nodes.client.request("eth_call", [call, "latest"]));
}

async function potAt(
  { nodes, group }: FarmNodes,
  name: string,
): Promise<number> {
  const { node } = nodes.cluster.member(name);
  const { balance } = await node.query(group.address, {
    from: name,
    signature: "balanceOf(string)",
    args: { account: "pot" },
  });
  return Number(balance);
}
