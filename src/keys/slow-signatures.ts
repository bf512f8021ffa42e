import { nativeCurve } from "../ledger/index.ts";

/** Tells once why signatures are slow: the library is a matter of the process, and a process may have many nodes. */
class SlowSignatures {
  #isTold = nativeCurve !== undefined;

  /** The sentence for the log; undefined if there is nothing to tell, or it was told before. */
  tell(): string | undefined {
    if (this.#isTold) return undefined;
    this.#isTold = true;
    return `Signatures are made in JavaScript, up to 20 times slower: the optional package secp256k1 is not installed or has no build for ${process.platform}-${process.arch}. Install it where a compiler is at hand: npm install secp256k1`;
  }
}

/** One for all nodes of this process. */
export const slowSignatures = new SlowSignatures();
