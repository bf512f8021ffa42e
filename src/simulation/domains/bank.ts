import { violation } from "../violation.ts";

/** Accounts with balances, as plain as can be: what a token comes to if nothing is private and nothing goes wrong. */
export class Bank {
  readonly #balances = new Map<string, bigint>();

  add(account: string, amount: bigint): void {
    this.#balances.set(account, this.balanceOf(account) + amount);
  }

  /** `by` names what is to blame if there is not so much. */
  take(account: string, amount: bigint, by: string): void {
    const balance = this.balanceOf(account);
    if (balance < amount)
      throw violation(
        "conserved",
        by,
        `takes ${amount} from ${account}, who has ${balance}`,
      );
    this.add(account, -amount);
  }

  balanceOf(account: string): bigint {
    return this.#balances.get(account) ?? 0n;
  }

  /** Whether coins are worth as much for each owner as the accounts say. */
  compare(
    coins: readonly { readonly owner: string; readonly amount: bigint }[],
  ): void {
    const worth = new Bank();
    for (const { owner, amount } of coins) worth.add(owner, amount);
    const owners = new Set([
      ...worth.#balances.keys(),
      ...this.#balances.keys(),
    ]);
    for (const owner of owners)
      if (worth.balanceOf(owner) !== this.balanceOf(owner))
        throw violation(
          "conserved",
          owner,
          `has coins worth ${worth.balanceOf(owner)}, and should have ${this.balanceOf(owner)}`,
        );
  }
}
