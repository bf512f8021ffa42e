import { Common, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM, type EVMResult } from "@ethereumjs/evm";
import { createAddressFromString, type Address } from "@ethereumjs/util";

import { toHex } from "../../../../ledger/index.ts";
import type { Call, Execute, Execution } from "../execution.ts";
import type { EvmVersion } from "../options.ts";
import { blockOf, CHAIN_ID } from "./block.ts";
import { floorGas, intrinsicGas, totalGas } from "./gas.ts";
import { pausing } from "./pause.ts";
import { World } from "./world.ts";

/** Executes a call as a transaction of its own. */
export const execute: Execute = async (call, options, reader) => {
  const world = new World(reader);
  const evm = await createEvm(options.evmVersion, world);
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

async function createEvm(version: EvmVersion, world: World): Promise<EVM> {
  const common = new Common({
    chain: { ...Mainnet, chainId: CHAIN_ID },
    hardfork: version,
  });
  return await createEVM({
    common,
    stateManager: world,
    customOpcodes: [pausing()],
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
