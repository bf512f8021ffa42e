import {
  type Domain,
  type DomainCall,
  DomainRefusal,
  type Json,
  type StateView,
} from "../domain.ts";
import {
  assembleOn,
  endorseOn,
  type Executor,
  queryOn,
} from "./executor/executor.ts";
import type { Outputs } from "./executor/job.ts";
import { workerThread } from "./executor/worker-thread.ts";
import { privateAddressOf, readIdentity } from "./identity.ts";
import { receiptOf } from "./info.ts";
import { readOptions } from "./options.ts";
import { readCall, writePayload } from "./payload.ts";
import type { Lookup } from "./reader.ts";
import { GENESIS } from "./transaction.ts";

const param = (name: string, type: string) => ({ name, type });
const entry = (
  name: string,
  stateMutability: "nonpayable" | "view",
  inputs: readonly object[],
  outputs: readonly object[] = [],
) => ({ type: "function", name, stateMutability, inputs, outputs });

const abi = [
  entry("deploy", "nonpayable", [param("bytecode", "bytes")]),
  entry("invoke", "nonpayable", [
    param("to", "address"),
    param("data", "bytes"),
  ]),
  entry(
    "call",
    "view",
    [param("to", "address"), param("data", "bytes")],
    [param("returned", "bytes")],
  ),
  entry(
    "addressOf",
    "view",
    [param("identity", "string")],
    [param("account", "address")],
  ),
];

/** The domain `private-contracts` on an executor: a group that runs ordinary Solidity privately. */
export function privateContractsOn(executor: Executor): Domain {
  return {
    name: "private-contracts",
    mode: "elected",
    abi,
    checkGroup: (group) => {
      readOptions(group);
    },
    allowsCalls: (group) => readOptions(group).externalCalls,
    genesis: () => GENESIS,
    // Nobody knows what a contract touches before it has run.
    check: (call) => ({
      payload: writePayload(readCall(call)),
      touches: undefined,
    }),
    assemble: async (intent, view) =>
      await assembleOn(executor, intent, lookupIn(view)),
    endorse: async (step) => await endorseOn(executor, step),
    query: async (call, view) =>
      call.signature === "addressOf(string)"
        ? addressOf(call)
        : await ask(executor, call, view),
    receipt: (_, { infos }) => receiptOf(infos),
    // All members endorse, and who endorses sees everything.
    isEntitled: () => true,
    // A public contract that refuses a call refuses it again, as far as anybody here can know. One that got too little gas was not asked.
    isRetryable: (reason) =>
      !reason.startsWith("ExternalCall") ||
      reason.startsWith("ExternalCallGasTooLow"),
  };
}

/** The domain `private-contracts` as nodes have it: contracts are executed in a thread of their own. */
export const privateContracts: Domain = privateContractsOn(workerThread);

function lookupIn(view: StateView): Lookup {
  return (schema, label) => {
    for (const state of view.find(schema, label)) return state;
    return undefined;
  };
}

function addressOf(call: DomainCall): Readonly<Record<string, Json>> {
  const { identity } = call.args;
  if (typeof identity !== "string")
    throw new DomainRefusal(
      `addressOf(string) takes an identity, and not ${JSON.stringify(identity)}.`,
    );
  return {
    account: privateAddressOf(call.group, readIdentity(identity, call)),
  };
}

async function ask(
  executor: Executor,
  call: DomainCall,
  view: StateView,
): Promise<Outputs> {
  if (call.signature !== "call(address,bytes)")
    throw new DomainRefusal(
      `Private contracts answer call(address,bytes) and addressOf(string), and not ${call.signature}.`,
    );
  return await queryOn(executor, call, lookupIn(view));
}
