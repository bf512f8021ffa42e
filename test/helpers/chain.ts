import hre from "hardhat";

import {
  type Address,
  encodeCreateGroup,
  type GroupConfig,
  type Hex,
  type LedgerError,
  ledgerErrorOf,
  type LedgerLog,
  decodeLogs,
  parseAddress,
  parseHex,
  type Bytes32,
} from "../../src/ledger/index.ts";

/** What became of a transaction. */
export type Sent =
  | {
      readonly type: "Mined";
      readonly logs: readonly LedgerLog[];
      readonly gasUsed: number;
    }
  | { readonly type: "Refused"; readonly error: LedgerError };

export interface Call {
  readonly from?: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** A fresh in-process chain, spoken to directly: ethers' polling would take most of the time. */
export interface Chain {
  readonly chainId: bigint;
  readonly accounts: readonly [Address, Address, Address];
  readonly factory: Address;
  readonly atomFactory: Address;
  readonly send: (call: Call) => Promise<Sent>;
  readonly call: (call: Call) => Promise<Hex>;
  /** What a program returns. It changes nothing. */
  readonly run: (program: Hex) => Promise<Hex>;
  readonly logsOf: (
    address: Address,
    fromBlock: number,
  ) => Promise<readonly LedgerLog[]>;
  readonly blockNumber: () => Promise<number>;
  /** Remembers how everything is; what comes back puts it so again, once. */
  readonly snapshot: () => Promise<() => Promise<void>>;
  /** Creates a group from the first account. */
  readonly createGroup: (
    config: GroupConfig,
    salt: Bytes32,
  ) => Promise<{ readonly group: Address; readonly gasUsed: number }>;
}

interface Receipt {
  readonly logs: readonly LedgerLog[];
  readonly gasUsed: string;
}

/** Just below the cap of one transaction (EIP-7825), so that nothing here runs out of it. */
const GAS = `0x${(16_000_000).toString(16)}`;

export async function openChain(): Promise<Chain> {
  const { ethers, provider } = await hre.network.create();
  const request = async (
    method: string,
    params: readonly unknown[] = [],
  ): Promise<unknown> =>
    await provider.request({ method, params: [...params] });

  const [first, second, third] = (
    (await request("eth_accounts")) as string[]
  ).map((account) => parseAddress(account));
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("The chain has no accounts.");
  const deploy = async (name: string): Promise<Address> =>
    parseAddress(await (await ethers.deployContract(name)).getAddress());

  const send = async (call: Call): Promise<Sent> => {
    let hash: unknown;
    try {
      hash = await request("eth_sendTransaction", [
        { from: first, ...call, gas: GAS },
      ]);
    } catch (thrown) {
      const error = ledgerErrorOf(thrown);
      if (error === undefined) throw thrown;
      return { type: "Refused", error };
    }
    const receipt = (await request("eth_getTransactionReceipt", [
      hash,
    ])) as Receipt;
    return {
      type: "Mined",
      logs: receipt.logs,
      gasUsed: Number(receipt.gasUsed),
    };
  };

  const factory = await deploy("PrivacyGroupFactory");
  return {
    chainId: BigInt((await request("eth_chainId")) as string),
    accounts: [first, second, third],
    factory,
    atomFactory: await deploy("AtomFactory"),
    send,
    call: async (call) => parseHex(await request("eth_call", [call, "latest"])),
    run: async (program) =>
      parseHex(await request("eth_call", [{ data: program }, "latest"])),
    logsOf: async (address, fromBlock) =>
      (await request("eth_getLogs", [
        { address, fromBlock: `0x${fromBlock.toString(16)}` },
      ])) as LedgerLog[],
    blockNumber: async () => Number(await request("eth_blockNumber")),
    snapshot: async () => {
      const id = await request("evm_snapshot");
      return async () => {
        if ((await request("evm_revert", [id])) !== true)
          throw new Error("The chain does not go back.");
      };
    },
    createGroup: async (config, salt) => {
      const sent = await send({
        to: factory,
        data: encodeCreateGroup(config, salt),
      });
      if (sent.type === "Refused")
        throw new Error(`No group: ${sent.error.type}`);
      const [fact] = decodeLogs(sent.logs);
      if (fact?.type !== "GroupCreated")
        throw new Error("No group was created.");
      return { group: fact.group, gasUsed: sent.gasUsed };
    },
  };
}
