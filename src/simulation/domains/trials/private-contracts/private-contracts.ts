import type { Hex } from "../../../../ledger/index.ts";
import type { DomainGroup } from "../../../../domains/domain.ts";
import { inOneGo } from "../../../../domains/private-contracts/executor/in-thread.ts";
import { privateAddressOf } from "../../../../domains/private-contracts/identity.ts";
import { privateContractsOn } from "../../../../domains/private-contracts/private-contracts.ts";
import { people } from "../../people.ts";
import type { Trial } from "../../trial.ts";
import { check } from "./check.ts";
import {
  balances,
  bytecode,
  encodePay,
  firstContractOf,
} from "./coin-contract.ts";

/** Deploys the contract, and does nothing else: it is his first transaction. */
const founder = "founder";

/** A contract that everybody calls, and for which it matters who is first. */
export const privateContractsTrial: Trial = {
  // Another thread would answer at another time in every run.
  domain: privateContractsOn(inOneGo),
  configure: () => ({}),
  setupCalls: () => [
    { from: founder, signature: "deploy(bytes)", args: { bytecode } },
  ],
  drawCalls: (group) => {
    const to = contractOf(group);
    return (random) => {
      const from = random.pick(people);
      const isMinted = random.chance(0.4);
      const payer = isMinted ? 0n : random.pick(balances);
      const amount = BigInt(random.between(1, isMinted ? 5_000 : 500));
      const data = encodePay(payer, random.pick(balances), amount);
      return { from, signature: "invoke(address,bytes)", args: { to, data } };
    };
  },
  concerns: () => true,
  check,
};

function contractOf(group: DomainGroup): Hex {
  const [node] = group.members;
  if (node === undefined) throw new Error("A group has members.");
  return firstContractOf(privateAddressOf(group, { name: founder, node }));
}
