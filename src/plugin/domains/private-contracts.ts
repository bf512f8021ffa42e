import {
  type FunctionFragment,
  getAddress,
  Interface,
  type InterfaceAbi,
  isHexString,
} from "ethers";

import type { ClusterGroup, Value } from "../connection/types.ts";
import { SequencerError } from "../errors.ts";
import { rememberPrivateContract } from "./known-contracts.ts";
import { type PrivateReceipt, readReceipt } from "./private-receipt.ts";
import { PrivateRevert } from "./private-revert.ts";

export type { PrivateEvent, PrivateReceipt } from "./private-receipt.ts";
export { type CustomError, PrivateRevert } from "./private-revert.ts";

/** What Hardhat compiled, or as much of it as is needed. */
export interface PrivateArtifact {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

/** A contract inside a group. Whoever acts is named `node`, for the node itself, or `name@node`. */
export class PrivateContract {
  readonly group: ClusterGroup;
  readonly address: string;
  readonly interface: Interface;

  constructor(
    options: { readonly address: string },
    ports: { readonly group: ClusterGroup; readonly interface: Interface },
  ) {
    this.address = getAddress(options.address);
    this.group = ports.group;
    this.interface = ports.interface;
    rememberPrivateContract(this);
  }

  /** Sends a transaction, and resolves when it has happened. Rejects with the contract's reason if it reverts. */
  async send(
    who: string,
    functionName: string,
    args: readonly unknown[] = [],
  ): Promise<PrivateReceipt> {
    const data = this.interface.encodeFunctionData(
      this.#fragment(functionName),
      args,
    );
    return await sendPrivate(
      { group: this.group, who, interface: this.interface },
      "invoke",
      { to: this.address, data },
    );
  }

  /** Asks a node. Gives the output, or all of them if there are several. Rejects with the contract's reason if it reverts. */
  async call(
    who: string,
    functionName: string,
    args: readonly unknown[] = [],
  ): Promise<unknown> {
    const fragment = this.#fragment(functionName);
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
    return outputs.length === 1 ? outputs[0] : outputs;
  }

  #fragment(name: string): FunctionFragment {
    const fragment = this.interface.getFunction(name);
    if (fragment !== null) return fragment;
    const known: string[] = [];
    this.interface.forEachFunction((one) => known.push(one.format("sighash")));
    throw new SequencerError("CONTRACT_FUNCTION_UNKNOWN", {
      name,
      known: known.join(", "),
    });
  }
}

/** Deploys a contract into a group of private contracts, and resolves when it is there. */
export async function deployPrivate(
  group: ClusterGroup,
  who: string,
  artifact: PrivateArtifact,
  args: readonly unknown[] = [],
): Promise<PrivateContract & { readonly receipt: PrivateReceipt }> {
  const abi = new Interface(artifact.abi);
  const { bytecode } = artifact;
  if (!isHexString(bytecode, true) || bytecode === "0x")
    throw new SequencerError("ARTIFACT_INVALID", {
      value: bytecode.slice(0, 40),
    });
  const code = bytecode + abi.encodeDeploy(args).slice(2);
  const receipt = await sendPrivate({ group, who, interface: abi }, "deploy", {
    bytecode: code,
  });
  const contract = new PrivateContract(
    { address: receipt.contractAddress ?? "" },
    { group, interface: abi },
  );
  return Object.assign(contract, { receipt });
}

/** A contract that is in a group already. */
export function attachPrivate(
  group: ClusterGroup,
  address: string,
  { abi }: Pick<PrivateArtifact, "abi">,
): PrivateContract {
  return new PrivateContract(
    { address },
    { group, interface: new Interface(abi) },
  );
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

async function sendPrivate(
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
): Promise<PrivateReceipt> {
  const { node, from } = readWho(who);
  const intent = await group.send(node, functionName, args, { from });
  const receipt = await intent.receipt();
  if (receipt.type === "confirmed") return readReceipt(receipt, intent, abi);
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
