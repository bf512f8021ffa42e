import type { AbiEntry } from "../domain.ts";

const param = (name: string, type: string) => ({ name, type });
const to = param("to", "string");
const amount = param("amount", "uint256");

const action = (name: string, ...inputs: readonly object[]) => ({
  type: "function",
  name,
  stateMutability: "nonpayable",
  inputs,
  outputs: [],
});

/** What users can call. */
export const abi: readonly AbiEntry[] = [
  action("issue", to, amount),
  action("pay", to, amount),
  action("redeem", amount),
  action("merge"),
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [param("account", "string")],
    outputs: [param("balance", "uint256"), param("coins", "uint256")],
  },
];
