import {
  getAddress,
  Interface,
  type InterfaceAbi,
  isAddress,
  isHexString,
} from "ethers";

import { show } from "../../api/abi/read-value.ts";
import type { ClusterGroup, Value } from "../connection/types.ts";
import { SequencerError } from "../errors.ts";
import { rememberPrivateContract } from "./known-contracts.ts";
import type {
  AnyAbi,
  ConstructorArgs,
  FunctionArgs,
  FunctionName,
  FunctionResult,
} from "./private-abi.ts";
import { findFunction, requireArguments } from "./private-arguments.ts";
import { type PrivateReceipt, readReceipt } from "./private-receipt.ts";
import { PrivateRevert } from "./private-revert.ts";

export type {
  ConstructorArgs,
  ErrorName,
  EventName,
  FunctionArgs,
  FunctionName,
  FunctionResult,
  IndexedHash,
} from "./private-abi.ts";
export type { PrivateEvent, PrivateReceipt } from "./private-receipt.ts";
export { type CustomError, PrivateRevert } from "./private-revert.ts";

/** What Hardhat compiled, or as much of it as is needed. */
export interface PrivateArtifact<Abi extends InterfaceAbi = InterfaceAbi> {
  readonly abi: Abi;
  readonly bytecode: string;
}

/**
 * A contract inside a group. Whoever acts is named `node`, for the node itself, or `name@node`. If TypeScript knows the ABI, it
 * checks functions and arguments, and knows results and events.
 */
export class PrivateContract<Abi extends InterfaceAbi = AnyAbi> {
  readonly group: ClusterGroup;
  readonly address: string;
  readonly abi: Abi;
  readonly interface: Interface;

  constructor(
    options: { readonly address: string; readonly abi: Abi },
    ports: { readonly group: ClusterGroup },
  ) {
    this.address = getAddress(options.address);
    this.abi = options.abi;
    this.group = ports.group;
    this.interface = interfaceOf(options.abi);
    rememberPrivateContract(this);
  }

  /** Sends a transaction, and resolves when it has happened. Rejects with the contract's reason if it reverts. */
  async send<Name extends FunctionName<Abi>>(
    who: string,
    functionName: Name,
    ...[args = []]: FunctionArgs<Abi, Name>
  ): Promise<PrivateReceipt<Abi>> {
    const fragment = findFunction(this.interface, functionName);
    requireArguments(fragment, args);
    const data = this.interface.encodeFunctionData(fragment, args);
    return await sendPrivate<Abi>(
      { group: this.group, who, interface: this.interface },
      "invoke",
      { to: this.address, data },
    );
  }

  /** Asks a node. Gives the output, or all of them if there are several. Rejects with the contract's reason if it reverts. */
  async call<Name extends FunctionName<Abi>>(
    who: string,
    functionName: Name,
    ...[args = []]: FunctionArgs<Abi, Name>
  ): Promise<FunctionResult<Abi, Name>> {
    const fragment = findFunction(this.interface, functionName);
    requireArguments(fragment, args);
    const data = this.interface.encodeFunctionData(fragment, args);
    const { node, from } = readWho(who);
    const { returned } = await this.group
      .query(node, "call", { to: this.address, data }, { from })
      .catch((error: unknown) => {
        throw withRevert(error, this.interface);
      });
    const outputs: readonly unknown[] = this.interface.decodeFunctionResult(
      fragment,
      typeof returned === "string" ? returned : "0x",
    );
    // The types of the outputs are those of the ABI with which they were decoded.
    return (outputs.length === 1 ? outputs[0] : outputs) as FunctionResult<
      Abi,
      Name
    >;
  }
}

/** Deploys a contract into a group of private contracts, and resolves when it is there. */
export async function deployPrivate<const Abi extends InterfaceAbi>(
  group: ClusterGroup,
  who: string,
  artifact: PrivateArtifact<Abi>,
  ...[args = []]: ConstructorArgs<Abi>
): Promise<PrivateContract<Abi> & { readonly receipt: PrivateReceipt<Abi> }> {
  const abi = interfaceOf(artifact.abi);
  const bytecode: unknown = artifact.bytecode;
  if (!isHexString(bytecode, true) || bytecode === "0x")
    throw new SequencerError("ARTIFACT_INVALID", { value: show(bytecode) });
  requireArguments(abi.deploy, args);
  const code = bytecode + abi.encodeDeploy(args).slice(2);
  const receipt = await sendPrivate<Abi>(
    { group, who, interface: abi },
    "deploy",
    { bytecode: code },
  );
  const contract = new PrivateContract(
    { address: receipt.contractAddress ?? "", abi: artifact.abi },
    { group },
  );
  return Object.assign(contract, { receipt });
}

/** A contract that is in a group already. */
export function attachPrivate<const Abi extends InterfaceAbi>(
  group: ClusterGroup,
  address: string,
  { abi }: Pick<PrivateArtifact<Abi>, "abi">,
): PrivateContract<Abi> {
  if (!isAddress(address))
    throw new SequencerError("ADDRESS_INVALID", {
      name: "attachPrivate()",
      value: address,
    });
  return new PrivateContract({ address, abi }, { group });
}

function interfaceOf(abi: InterfaceAbi): Interface {
  try {
    return new Interface(abi);
  } catch (error) {
    throw new SequencerError(
      "ABI_INVALID",
      { reason: error instanceof Error ? error.message : String(error) },
      error instanceof Error ? error : undefined,
    );
  }
}

/** Whom contracts of a group see when somebody acts: `node`, or `name@node`. */
export async function privateAddressOf(
  group: ClusterGroup,
  who: string,
): Promise<string> {
  const { node, from } = readWho(who);
  const identity = `${from}@${node}`;
  const { account } = await group.query(node, "addressOf", { identity });
  return getAddress(typeof account === "string" ? account : "");
}

async function sendPrivate<Abi extends InterfaceAbi>(
  {
    group,
    who,
    interface: abi,
  }: {
    readonly group: ClusterGroup;
    readonly who: string;
    readonly interface: Interface;
  },
  functionName: "deploy" | "invoke",
  args: Readonly<Record<string, Value>>,
): Promise<PrivateReceipt<Abi>> {
  const { node, from } = readWho(who);
  const intent = await group.send(node, functionName, args, { from });
  const receipt = await intent.receipt();
  if (receipt.type === "confirmed")
    return readReceipt<Abi>(receipt, intent, abi);
  const revert = PrivateRevert.from(receipt.reason, abi);
  const { message: reason } = revert;
  throw new SequencerError(
    "INTENT_REVERTED",
    { id: intent.id, node, reason },
    revert,
  );
}

/** What a node refuses because the contract did. */
function withRevert(error: unknown, abi: Interface): unknown {
  if (!(error instanceof SequencerError) || error.code !== "REFUSED")
    return error;
  const { cause } = error;
  if (!(cause instanceof Error)) return error;
  const revert = PrivateRevert.from(cause.message, abi);
  return new SequencerError("REFUSED", { reason: revert.message }, revert);
}

function readWho(who: string): {
  readonly node: string;
  readonly from: string;
} {
  const [name = "", node = name] = who.split("@");
  return { node, from: name };
}
