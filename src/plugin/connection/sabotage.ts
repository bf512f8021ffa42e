import { privacyGroupInterface } from "../../ledger/index.ts";
import type { Payer, UnsignedTransaction } from "../../keys/ports.ts";

const EXECUTE = privacyGroupInterface.getFunction("execute")?.selector ?? "";
/** What a transaction costs before its call runs, at most (EIP-7623), and a little for the call to begin with. */
const BASE_GAS = 21_000;
const TOKEN_GAS = 10;
const CALL_GAS = 1_000;

/** How many transitions are still to fail, of each node and of any. */
export interface SavedSabotage {
  readonly left: ReadonlyMap<string, number>;
  readonly leftOfAny: number;
}

/**
 * Lets transitions fail on the chain. Nothing is faked: the payer signs with enough gas for the transaction to be mined, and
 * too little for the contract to finish, as happens when gas is estimated too low.
 */
export class Sabotage {
  readonly #left = new Map<string, number>();
  #leftOfAny = 0;

  /** The next transitions of one node, or of any. */
  add(count: number, node?: string): void {
    if (node === undefined) this.#leftOfAny += count;
    else this.#left.set(node, (this.#left.get(node) ?? 0) + count);
  }

  /** What is still to fail, for {@link restore}. */
  save(): SavedSabotage {
    return { left: new Map(this.#left), leftOfAny: this.#leftOfAny };
  }

  restore({ left, leftOfAny }: SavedSabotage): void {
    this.#left.clear();
    for (const [node, count] of left) this.#left.set(node, count);
    this.#leftOfAny = leftOfAny;
  }

  /** A payer that signs what it is told to, unless it shall fail. */
  wrap(node: string, payer: Payer): Payer {
    return {
      address: payer.address,
      signTransaction: (transaction) =>
        payer.signTransaction(
          transaction.data.startsWith(EXECUTE) && this.#take(node)
            ? { ...transaction, gasLimit: tooLittleGas(transaction) }
            : transaction,
        ),
    };
  }

  #take(node: string): boolean {
    const own = this.#left.get(node) ?? 0;
    if (own > 0) this.#left.set(node, own - 1);
    else if (this.#leftOfAny > 0) this.#leftOfAny -= 1;
    else return false;
    return true;
  }
}

function tooLittleGas({ data }: UnsignedTransaction): bigint {
  let tokens = 0;
  for (let i = 2; i < data.length; i += 2)
    tokens += data.startsWith("00", i) ? 1 : 4;
  return BigInt(BASE_GAS + TOKEN_GAS * tokens + CALL_GAS);
}
