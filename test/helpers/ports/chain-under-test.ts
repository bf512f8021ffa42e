import hre from "hardhat";

import {
  type Address,
  type Hex,
  parseAddress,
  parseHex,
} from "../../../src/ledger/index.ts";
import { curve } from "../../../src/ledger/secp256k1.ts";
import { signTransaction } from "../../../src/keys/transaction-bytes.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import type { ChainClient } from "../../../src/chain/ports.ts";
import type { UnsignedTransaction } from "../../../src/keys/ports.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import { SimulatedLedger } from "../../../src/simulation/chain-rpc/ledger.ts";
import { chainClientOf } from "../../../src/simulation/chain-rpc/rpc/client.ts";
import { Random } from "../../../src/simulation/random.ts";
import { publishedAccount } from "../accounts.ts";

/** A chain whose blocks come when a test wants them. */
export interface ChainUnderTest {
  readonly client: ChainClient;
  /** Whether it gives all receipts of a block at once. Hardhat does not. */
  readonly hasBlockReceipts: boolean;
  readonly mine: () => Promise<void>;
  /** Remembers the chain as it is; what comes back takes it there again, once. */
  readonly mark: () => Promise<() => Promise<void>>;
  /** Closes the client, and whatever else was opened. */
  readonly close: () => Promise<void>;
}

/** Hardhat's chain behind a client. */
async function hardhatUnderTest(
  client: ChainClient,
  close: () => Promise<void>,
): Promise<ChainUnderTest> {
  await client.request("evm_setAutomine", [false]);
  return {
    client,
    hasBlockReceipts: false,
    mine: async () => {
      await client.request("evm_mine", []);
    },
    mark: async () => {
      const id = await client.request("evm_snapshot", []);
      return async () => {
        await client.request("evm_revert", [id]);
      };
    },
    close: async () => {
      await client.close();
      await close();
    },
  };
}

/** The same over sockets of this machine. */
async function servedUnderTest(
  open: (address: string) => ChainClient,
): Promise<ChainUnderTest> {
  const server = await hre.network.createServer(undefined, "127.0.0.1", 0);
  const { address, port } = await server.listen();
  return await hardhatUnderTest(open(`${address}:${port}`), async () => {
    await server.close();
  });
}

/** Every implementation of a chain that the compliance suite runs against. */
export const chainsUnderTest: Readonly<
  Record<string, () => Promise<ChainUnderTest>>
> = {
  "Hardhat's chain": async () => {
    const connection = await hre.network.create();
    const client = openChainClient(connection.provider);
    return await hardhatUnderTest(client, async () => {
      await connection.close();
    });
  },
  "Hardhat's chain over HTTP": async () =>
    await servedUnderTest((address) =>
      openChainClient(`http://${address}`, {
        webSocketUrl: `ws://${address}`,
      }),
    ),
  "Hardhat's chain over a WebSocket": async () =>
    await servedUnderTest((address) => openChainClient(`ws://${address}`)),
  "the simulated chain": async () =>
    await Promise.resolve(simulatedUnderTest(new SimulatedLedger())),
};

/** A simulated chain that answers at once. */
export function simulatedUnderTest(ledger: SimulatedLedger): ChainUnderTest {
  const client = chainClientOf(
    { ledger, timers: machineTimers, random: new Random(1) },
    { latencyMs: [0, 0], tellsHeads: true },
  );
  let { timestampMs } = ledger.options;
  return {
    client,
    hasBlockReceipts: true,
    mine: async () => {
      ledger.mine({ timestampMs: (timestampMs += 1_000) });
      await Promise.resolve();
    },
    mark: async () => {
      const height = ledger.head.number;
      await Promise.resolve();
      return async () => {
        const depth = ledger.head.number - height;
        ledger.takeBack({ depth, isLost: () => true });
        for (const { hash } of ledger.mempool.transactions)
          ledger.mempool.drop(hash);
        await Promise.resolve();
      };
    },
    close: async () => {
      await client.close();
    },
  };
}

const GWEI = 1_000_000_000n;

/** An account of those chains which have money, and signs by itself. */
export interface TestAccount {
  readonly address: Address;
  /** The raw bytes of a transaction with the next nonce, unless the parts say otherwise. */
  readonly sign: (
    parts: Partial<UnsignedTransaction> & { readonly legacy?: boolean },
  ) => Promise<Hex>;
}

export function aTestAccount(number: number): TestAccount {
  const { address, privateKey } = publishedAccount(number);
  const signer = curve.signer(parseHex(privateKey));
  let next = 0;
  return {
    address: parseAddress(address),
    sign: async ({ legacy, ...parts }) =>
      await signTransaction(
        {
          chainId: 31_337n,
          nonce: parts.nonce ?? next++,
          to: undefined,
          data: parseHex("0x"),
          value: 0n,
          gasLimit: 5_000_000n,
          maxFeePerGas: 20n * GWEI,
          maxPriorityFeePerGas: GWEI,
          ...(legacy === true && { gasPrice: 20n * GWEI }),
          ...parts,
        },
        async (digest) => await Promise.resolve(signer(digest)),
      ),
  };
}
