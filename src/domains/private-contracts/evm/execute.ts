import { Common, Mainnet } from "@ethereumjs/common";
import {
  createEVM,
  type EVM,
  type EVMResult,
  type Message,
  paramsEVM,
} from "@ethereumjs/evm";
import { createAddressFromString, type Address } from "@ethereumjs/util";

import { toHex } from "../../../ledger/index.ts";
import type { Call, Execute, Execution } from "../execution.ts";
import type { EvmVersion } from "../options.ts";
import { blockOf, CHAIN_ID } from "./block.ts";
import { floorGas, intrinsicGas, totalGas } from "./gas.ts";
import { originalOpcodes, pricedOpcodes } from "./opcodes.ts";
import type { Pace } from "./pace.ts";
import { originalPrecompiles, pricedPrecompiles } from "./precompiles.ts";
import { EvmRefusal } from "./refusal.ts";
import { Work } from "./work.ts";
import { World } from "./world.ts";

/** Executes a call as a transaction of its own. */
export const execute: Execute = async (call, options, ports) => {
  try {
    return await transact(call, options, ports);
  } catch (error) {
    if (error instanceof EvmRefusal) return failed(error.message);
    throw error;
  }
};

const transact: Execute = async (call, options, { reader, pace }) => {
  // Work that the gas does not pay for is as much again, at most.
  const work = new Work({ limit: options.gasLimit });
  const world = new World(reader);
  const evm = await createEvm(options.evmVersion, { world, work, pace });
  const { common } = evm;
  const { data } = call;
  const { gasLimit } = options;
  const due = intrinsicGas(common, data, call.to === undefined);
  if (due > gasLimit || floorGas(common, data) > gasLimit)
    return failed("out of gas");
  const block = blockOf({ gasLimit, chance: call.chance });
  const result = await run(evm, call, { block, gasLimit: gasLimit - due });
  const { execResult, createdAddress } = result;
  if (execResult.exceptionError !== undefined)
    return failed(execResult.exceptionError.error, execResult.returnValue);
  await bury(evm, result);
  return {
    type: "done",
    returned: execResult.returnValue,
    logs: (execResult.logs ?? []).map(([address, topics, content]) => ({
      address: toHex(address),
      topics: topics.map(toHex),
      data: toHex(content),
    })),
    gasUsed: totalGas(common, data, {
      spent: due + execResult.executionGasUsed,
      refund: execResult.gasRefund ?? 0n,
    }),
    created: createdAddress?.toString(),
    changes: world.changes(),
  };
};

interface EvmPorts {
  readonly world: World;
  readonly work: Work;
  readonly pace: Pace;
}

/** What all transactions by the same rules share. */
const rules = new Map<EvmVersion, ReturnType<typeof readRules>>();

function readRules(version: EvmVersion) {
  const chain = { ...Mainnet, chainId: CHAIN_ID };
  const common = new Common({ chain, hardfork: version });
  // The EVM adds its parameters to those of the chain.
  common.updateParams(paramsEVM);
  return {
    common,
    opcodes: originalOpcodes(common),
    precompiles: originalPrecompiles(common),
  };
}

async function createEvm(version: EvmVersion, ports: EvmPorts): Promise<EVM> {
  const { common, opcodes, precompiles } =
    rules.get(version) ?? readRules(version);
  rules.set(version, { common, opcodes, precompiles });
  const evm = await createEVM({
    common,
    stateManager: ports.world,
    customOpcodes: pricedOpcodes(opcodes, ports),
    customPrecompiles: pricedPrecompiles(precompiles, ports),
  });
  // The rules outlive the EVM, and never change.
  common.events.removeAllListeners();
  countFrames(evm, ports);
  return evm;
}

/** The EVM waits for listeners with two parameters. */
function countFrames(evm: EVM, { world, work, pace }: EvmPorts): void {
  const begin = async (message: Message): Promise<void> => {
    const { to, data, selfdestruct, createdAddresses } = message;
    const codeBytes =
      to === undefined
        ? data.length
        : await world.getCodeSize(message.codeAddress);
    const copied = (selfdestruct?.size ?? 0) + (createdAddresses?.size ?? 0);
    work.enter({ codeBytes, copied });
    await pace();
  };
  evm.events.on("beforeMessage", (message, resolve) => {
    resolve?.(begin(message));
  });
  evm.events.on("afterMessage", () => {
    work.leave();
  });
}

async function run(
  evm: EVM,
  { from, to, data }: Call,
  {
    block,
    gasLimit,
  }: { readonly block: ReturnType<typeof blockOf>; readonly gasLimit: bigint },
): Promise<EVMResult> {
  const caller = createAddressFromString(from);
  const target = to === undefined ? undefined : createAddressFromString(to);
  const warm: readonly (Address | undefined)[] = [
    caller,
    target,
    evm.common.isActivatedEIP(3651) ? block.header.coinbase : undefined,
  ];
  for (const precompile of evm.precompiles.keys())
    evm.journal.addAlwaysWarmAddress(precompile);
  for (const address of warm)
    if (address !== undefined)
      evm.journal.addAlwaysWarmAddress(address.toString());
  return await evm.runCall({
    block,
    caller,
    data,
    gasLimit,
    ...(target && { to: target }),
  });
}

/** Accounts that destroyed themselves vanish when all is over; since Cancun, only those that are no older. */
async function bury(evm: EVM, { execResult }: EVMResult): Promise<void> {
  const { selfdestruct, createdAddresses } = execResult;
  for (const address of selfdestruct?.keys() ?? [])
    if (!evm.common.isActivatedEIP(6780) || createdAddresses?.has(address))
      await evm.journal.deleteAccount(createAddressFromString(address));
}

function failed(
  error: string,
  returned: Uint8Array = new Uint8Array(),
): Execution {
  return { type: "failed", error, returned };
}
