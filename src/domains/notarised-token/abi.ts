import type { AbiEntry } from "../domain.ts";

const param = (name: string, type: string): AbiEntry => ({ name, type });
const amount = param("amount", "uint256");
const data = param("data", "bytes");
const to = param("to", "string");
const from = param("from", "string");
const lockId = param("lockId", "bytes32");
const recipients = {
  name: "recipients",
  type: "tuple[]",
  components: [to, amount],
};

const action = (name: string, ...inputs: readonly AbiEntry[]): AbiEntry => ({
  type: "function",
  name,
  stateMutability: "nonpayable",
  inputs,
  outputs: [],
});

const view = (
  name: string,
  inputs: readonly AbiEntry[],
  outputs: readonly AbiEntry[],
): AbiEntry => ({
  type: "function",
  name,
  stateMutability: "view",
  inputs,
  outputs,
});

/** What users can call. */
export const abi: readonly AbiEntry[] = [
  action("mint", to, amount, data),
  action("transfer", to, amount, data),
  action("transferWhenFunded", to, amount, data),
  action("burn", amount, data),
  action("lock", amount, data),
  action("createLock", amount, data),
  action("unlock", lockId, from, recipients, data),
  action(
    "prepareUnlock",
    lockId,
    from,
    recipients,
    param("unlockData", "bytes"),
    data,
  ),
  action("delegateLock", lockId, param("delegate", "string"), data),
  view(
    "balanceOf",
    [param("account", "string")],
    [
      param("totalStates", "uint256"),
      param("totalBalance", "uint256"),
      param("overflow", "bool"),
    ],
  ),
  view(
    "lockOf",
    [lockId],
    [
      param("owner", "string"),
      amount,
      param("delegate", "string"),
      param("isPrepared", "bool"),
      recipients,
      param("unlockData", "bytes"),
    ],
  ),
  view("name", [], [param("", "string")]),
  view("symbol", [], [param("", "string")]),
  view("decimals", [], [param("", "uint256")]),
];
