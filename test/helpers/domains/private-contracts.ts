import { Interface } from "ethers";
import hre from "hardhat";

import type { Json } from "../../../src/domains/domain.ts";
import { privateContracts } from "../../../src/domains/private-contracts/private-contracts.ts";
import { type Ended, PlayedGroup } from "./played-group.ts";

/** A compiled contract. */
export interface Compiled {
  readonly abi: Interface;
  readonly bytecode: string;
}

export async function compiled(name: string): Promise<Compiled> {
  const { abi, bytecode } = await hre.artifacts.readArtifact(name);
  return { abi: new Interface(abi), bytecode };
}

/** What a transaction of private contracts left behind. */
export interface Receipt {
  readonly transaction: {
    readonly from: string;
    readonly to: string | null;
    readonly nonce: string;
    readonly gas: string;
    readonly data: string;
  };
  readonly receipt: {
    readonly contractAddress: string | null;
    readonly gasUsed: string;
    readonly logs: readonly {
      readonly address: string;
      readonly topics: readonly string[];
      readonly data: string;
      readonly logIndex: number;
    }[];
  };
}

/** A group of private contracts, played without nodes. */
export async function openContracts(
  options: {
    readonly members?: readonly string[];
    readonly configuration?: Readonly<Record<string, string>>;
    readonly address?: string;
  } = {},
): Promise<PlayedGroup> {
  const members = options.members ?? ["alice", "bob", "carol"];
  const group = new PlayedGroup(
    { ...options, members },
    { domain: privateContracts },
  );
  return await group.begin();
}

/** The private address of somebody. */
export async function addressOf(
  group: PlayedGroup,
  identity: string,
): Promise<string> {
  const { account } = await group.query("alice", {
    signature: "addressOf(string)",
    args: { identity },
  });
  return textOf(account);
}

function textOf(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error("The answer is no text.");
  return value;
}

/** Deploys from somebody on a node; `name@node` or the node itself. */
export async function deploy(
  group: PlayedGroup,
  who: string,
  { abi, bytecode }: Compiled,
  args: readonly unknown[] = [],
): Promise<PlayedContract> {
  const code = bytecode + abi.encodeDeploy(args).slice(2);
  const ended = await sendRaw(group, who, "deploy(bytes)", { bytecode: code });
  const address = receiptOf(ended).receipt.contractAddress;
  if (address === null) throw new Error("Nothing was deployed.");
  return new PlayedContract(group, abi, address);
}

/** What a transaction did; throws if it did not happen. */
export function receiptOf(ended: Ended): Receipt {
  if (ended.type !== "confirmed") throw new Error(ended.reason);
  return ended.receipt as unknown as Receipt;
}

export async function sendRaw(
  group: PlayedGroup,
  who: string,
  signature: string,
  args: Readonly<Record<string, Json>>,
): Promise<Ended> {
  const [name = "", node = name] = who.split("@");
  return await group.send(node, { signature, args, from: name });
}

/** A contract in a played group. */
export class PlayedContract {
  readonly address: string;
  readonly abi: Interface;
  readonly #group: PlayedGroup;

  constructor(group: PlayedGroup, abi: Interface, address: string) {
    this.#group = group;
    this.abi = abi;
    this.address = address;
  }

  async send(
    who: string,
    name: string,
    args: readonly unknown[] = [],
  ): Promise<Ended> {
    const data = this.abi.encodeFunctionData(name, args);
    return await sendRaw(this.#group, who, "invoke(address,bytes)", {
      to: this.address,
      data,
    });
  }

  /** The first output of a view. */
  async call(
    who: string,
    name: string,
    args: readonly unknown[] = [],
  ): Promise<unknown> {
    const data = await this.callRaw(
      who,
      this.abi.encodeFunctionData(name, args),
    );
    return (this.abi.decodeFunctionResult(name, data) as unknown[])[0];
  }

  async callRaw(who: string, data: string): Promise<string> {
    const [from = "", node = from] = who.split("@");
    const { returned } = await this.#group.query(node, {
      signature: "call(address,bytes)",
      args: { to: this.address, data },
      from,
    });
    return textOf(returned);
  }
}
