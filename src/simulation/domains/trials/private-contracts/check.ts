import { z } from "zod";

import type { DomainState } from "../../../../domains/domain.ts";
import { privateAddressOf } from "../../../../domains/private-contracts/identity.ts";
import { violation } from "../../../violation.ts";
import type { History } from "../../trial.ts";
import { balances, ORDER } from "./coin-contract.ts";
import type { PlainEvm } from "./plain-evm.ts";

const number = z.string().transform(BigInt);
const payloadType = z.object({
  from: z.string(),
  to: z.string().optional(),
  data: z.string().transform((text) => Buffer.from(text, "base64")),
});
const accountType = z.object({
  address: z.string(),
  nonce: number,
  balance: number,
  codeHash: z.string().nullable(),
});
const codeType = z.object({ code: z.string() });
const pageType = z.object({ slots: z.record(number) });

/** Runs the confirmed calls again, one after the other, on an EVM that is not private, and compares all that is in it. */
export async function check({ group, steps, unspent }: History): Promise<void> {
  const evm = await (await import("./plain-evm.ts")).PlainEvm.open();
  const callers = new Set<string>();
  for (const { intentId, sender: node, payload } of steps) {
    if (payload === "genesis") continue;
    const { from: name, to, data } = payloadType.parse(JSON.parse(payload));
    const from = privateAddressOf(group, { name, node });
    callers.add(from);
    if (!(await evm.call({ from, to, data })))
      throw violation("conserved", intentId, "fails on a plain EVM");
  }
  await compareAccounts(evm, unspent, callers);
  await compareStorage(evm, unspent);
}

async function compareAccounts(
  evm: PlainEvm,
  unspent: readonly DomainState[],
  callers: Iterable<string>,
): Promise<void> {
  const codes = new Map(
    statesOf("code", unspent).map(({ label, data }) => [
      label,
      codeType.parse(data).code,
    ]),
  );
  const missing = new Set(callers);
  for (const { data } of statesOf("account", unspent)) {
    const { address, nonce, balance, codeHash } = accountType.parse(data);
    const plain = await evm.account(address);
    const code = codeHash === null ? "0x" : codes.get(codeHash);
    if (
      nonce !== plain.nonce ||
      balance !== plain.balance ||
      code !== plain.code
    )
      throw violation("conserved", address, "is another account elsewhere");
    missing.delete(address);
  }
  for (const address of missing)
    throw violation("conserved", address, "has called, and is not there");
}

async function compareStorage(
  evm: PlainEvm,
  unspent: readonly DomainState[],
): Promise<void> {
  const storages = new Map<string, Map<bigint, bigint>>();
  for (const { label, data } of statesOf("page", unspent)) {
    const [address = ""] = label.split("/");
    const storage = storages.get(address) ?? new Map<bigint, bigint>();
    storages.set(address, storage);
    const { slots } = pageType.parse(data);
    for (const [slot, value] of Object.entries(slots))
      storage.set(BigInt(slot), value);
  }
  for (const [address, storage] of storages)
    for (const slot of new Set([...storage.keys(), ...balances, ORDER])) {
      const plain = await evm.slot(address, slot);
      if (plain !== (storage.get(slot) ?? 0n))
        throw violation(
          "conserved",
          address,
          `has ${storage.get(slot) ?? 0n} at ${slot}, and ${plain} elsewhere`,
        );
    }
}

function statesOf(
  schema: string,
  states: readonly DomainState[],
): readonly DomainState[] {
  return states.filter((state) => state.schema === schema);
}
