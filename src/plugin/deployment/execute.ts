import { HardhatError } from "@nomicfoundation/hardhat-errors";
import { keccak256 } from "ethers";

import { SequencerError } from "../errors.ts";
import { deploymentProxy } from "./addresses.ts";
import { poll } from "./chain.ts";
import type { Chain, Receipt } from "./chain.ts";
import type { Step } from "./plan.ts";
import type { Waiting } from "./progress.ts";

/** Who sends, and how long to wait. */
export interface Execution {
  readonly network: string;
  readonly sender: string;
  readonly timeoutMs: number;
  readonly confirmations: number;
}

/** What a step did; `isOwn` is false if somebody else did the same at the same time. */
export interface Executed {
  readonly tx: string;
  readonly gasUsed: bigint;
  readonly isOwn: boolean;
}

/** Does one step and sees to it that its result is there. */
export async function execute(
  chain: Chain,
  step: Step,
  execution: Execution,
  onWaiting: (waiting: Waiting) => void = () => undefined,
): Promise<Executed> {
  if (step.name === "funding")
    await requireProxyAccepted(chain, execution.network);
  const tx = await send(chain, step, execution);
  const receipt = await receiptOf(chain, step, tx, {
    ...execution,
    onWaiting,
  });
  const isDone = step.isDone(await chain.codeAt(step.address));
  // A failure with the right result means that somebody else was faster. Money does not arrive that way.
  if (!receipt.isSuccess && (step.name === "funding" || !isDone))
    throw new SequencerError("TRANSACTION_REVERTED", { step: step.name, tx });
  if (!isDone)
    throw new SequencerError("CODE_MISMATCH", {
      name: step.name,
      address: step.address,
      network: execution.network,
    });
  return { tx, gasUsed: receipt.gasUsed, isOwn: receipt.isSuccess };
}

/** Waits until nothing of the sender is on its way: it may be the very transactions that are about to be sent. */
export async function waitForPending(
  chain: Chain,
  { sender, timeoutMs }: Execution,
): Promise<void> {
  const none = await poll(timeoutMs, async () =>
    (await chain.pendingOf(sender)) === 0 ? true : undefined,
  );
  if (none === undefined)
    throw new SequencerError("TRANSACTIONS_PENDING", {
      address: sender,
      count: await chain.pendingOf(sender),
      seconds: timeoutMs / 1000,
    });
}

/**
 * Some chains take no transaction that names no chain. Nodes say so before they look at the balance, so asking costs
 * nothing, while money sent to the proxy's signer first would be lost.
 */
async function requireProxyAccepted(
  chain: Chain,
  network: string,
): Promise<void> {
  try {
    await chain.sendRaw(deploymentProxy.transaction);
  } catch (error) {
    const reason = reasonOf(error);
    if (/protected|replay|eip-?155|chain.?id/i.test(reason))
      throw new SequencerError("PROXY_REFUSED", { network, reason });
  }
}

async function send(
  chain: Chain,
  { name, transaction }: Step,
  { sender, network }: Execution,
): Promise<string> {
  try {
    if ("signed" in transaction)
      return await sendSigned(chain, transaction.signed);
    const { call } = transaction;
    const gas = await chain.gasFor(sender, call);
    return await chain.send(sender, call, { gas, fees: await chain.fees() });
  } catch (error) {
    const reason = reasonOf(error);
    if (name === "proxy")
      throw new SequencerError("PROXY_REFUSED", { network, reason });
    throw new SequencerError("TRANSACTION_REFUSED", {
      step: name,
      network,
      reason,
    });
  }
}

/** The same bytes may be on their way already, from an earlier run or from somebody else. */
async function sendSigned(chain: Chain, signed: string): Promise<string> {
  try {
    return await chain.sendRaw(signed);
  } catch (error) {
    if (!/already|known/i.test(reasonOf(error))) throw error;
    return keccak256(signed);
  }
}

async function receiptOf(
  chain: Chain,
  { name }: Step,
  tx: string,
  {
    timeoutMs,
    confirmations: wanted,
    onWaiting,
  }: Execution & { readonly onWaiting: (waiting: Waiting) => void },
): Promise<Receipt> {
  const receipt = await poll(timeoutMs, async () => {
    const found = await chain.receiptOf(tx, wanted);
    const { blockNumber: block = null, confirmations = 0 } = found ?? {};
    if (found !== undefined && confirmations >= wanted) return found;
    onWaiting({ name, tx, block, confirmations, wanted });
    return undefined;
  });
  if (receipt === undefined)
    throw new SequencerError("TRANSACTION_TIMEOUT", {
      step: name,
      tx,
      seconds: timeoutMs / 1000,
    });
  return receipt;
}

/** What a node says against a transaction. Hardhat's own errors are clear by themselves. */
function reasonOf(error: unknown): string {
  if (HardhatError.isHardhatError(error) || !(error instanceof Error))
    throw error;
  return error.message.split("\n", 1)[0] ?? error.message;
}
