import { toHex } from "../../../ledger/index.ts";
import {
  type Domain,
  type DomainCall,
  DomainRefusal,
  type Json,
  type StateView,
} from "../domain.ts";
import { findFault } from "./endorse.ts";
import { privateAddressOf, readIdentity } from "./identity.ts";
import { receiptOf } from "./info.ts";
import { readOptions } from "./options.ts";
import { readCall, writePayload } from "./payload.ts";
import { perform } from "./perform.ts";
import { type Lookup, Reader, StateMissing } from "./reader.ts";
import { GENESIS, transact } from "./transaction.ts";

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

/** The domain `private-contracts`: a group that runs ordinary Solidity privately. */
export const privateContracts: Domain = {
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
  assemble: async (intent, view) => await transact(intent, lookupIn(view)),
  endorse: findFault,
  query: async (call, view) =>
    call.signature === "addressOf(string)"
      ? addressOf(call)
      : await ask(call, view),
  receipt: (_, { infos }) => receiptOf(infos),
  // All members endorse, and who endorses sees everything.
  isEntitled: () => true,
  // A public contract that refuses a call refuses it again, as far as anybody here can know. One that got too little gas was not asked.
  isRetryable: (reason) =>
    !reason.startsWith("ExternalCall") ||
    reason.startsWith("ExternalCallGasTooLow"),
};

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
  call: DomainCall,
  view: StateView,
): Promise<Readonly<Record<string, Json>>> {
  if (call.signature !== "call(address,bytes)")
    throw new DomainRefusal(
      `Private contracts answer call(address,bytes) and addressOf(string), and not ${call.signature}.`,
    );
  const { group, node } = call;
  const chance = new Uint8Array(32);
  try {
    const reader = new Reader(lookupIn(view));
    const done = await perform(readCall(call), { group, node, chance }, reader);
    if (done.type === "done") return { returned: toHex(done.returned) };
    throw new DomainRefusal(done.reason);
  } catch (error) {
    if (error instanceof StateMissing)
      throw new DomainRefusal(
        `The group has not begun yet, or this node does not know all of it: ${error.message} is missing.`,
      );
    throw error;
  }
}
