import {
  type Hex,
  keccak256Hex,
  parseHex,
  toBytes,
  toHex,
} from "../../ledger/index.ts";
import { ChainError } from "../ports.ts";
import {
  type Payer,
  SignerError,
  type UnsignedTransaction,
} from "../../keys/ports.ts";
import type {
  SavedSubmission,
  Signing,
  Submissions,
} from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import { withoutSecrets } from "../client/secrets.ts";
import { type Fees, usualFees } from "./fees.ts";
import { atMostTransaction, withMargin } from "./gas.ts";
import type { SubmitterOptions } from "./ports.ts";

/** What to sign: the submission itself, or nothing at all in its place. */
export interface Order {
  readonly saved: SavedSubmission;
  readonly nonce: number;
  readonly fees: Fees;
  readonly isEmpty: boolean;
}

const NOTHING = toHex(new Uint8Array());
/** Fees that were read so many blocks ago are still good: the base fee grows by an eighth at most with each. */
const FEES_BLOCKS = 3;

/** Makes transactions of submissions, with today's fees and enough gas. */
export class Signer {
  readonly #options: SubmitterOptions;
  readonly #chain: Chain;
  readonly #payer: Payer;
  readonly #submissions: Submissions;
  #fees: (Fees & { readonly height: number }) | undefined;
  #isLegacy = false;

  constructor(
    options: SubmitterOptions,
    ports: {
      readonly chain: Chain;
      readonly payer: Payer;
      readonly submissions: Submissions;
    },
  ) {
    this.#options = options;
    this.#chain = ports.chain;
    this.#payer = ports.payer;
    this.#submissions = ports.submissions;
  }

  async sign({ saved, nonce, fees, isEmpty }: Order): Promise<Signing> {
    const { sequence } = saved;
    const data = isEmpty ? NOTHING : this.#submissions.dataOf(sequence);
    const raw = await this.#signed({
      chainId: this.#options.chainId,
      nonce,
      to: isEmpty ? this.#payer.address : saved.to,
      data,
      value: isEmpty ? 0n : saved.value,
      gasLimit: isEmpty
        ? this.#options.emptyGas
        : await this.#gasOf(saved, data),
      maxFeePerGas: fees.maxFee,
      maxPriorityFeePerGas: fees.tip,
      ...(this.#isLegacy && { gasPrice: fees.maxFee }),
    });
    const hash = keccak256Hex(toBytes(raw));
    const hashes = [...saved.hashes.filter((old) => old !== hash), hash];
    const emptyHashes = isEmpty
      ? [...saved.emptyHashes.filter((old) => old !== hash), hash]
      : saved.emptyHashes;
    return { sequence, nonce, raw, ...fees, hashes, emptyHashes };
  }

  /** Keys may be far away, or need somebody's consent. */
  async #signed(unsigned: UnsignedTransaction): Promise<Hex> {
    try {
      return parseHex(await this.#payer.signTransaction(unsigned));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      throw new SignerError(
        `The key of ${this.#payer.address} cannot be used: ${withoutSecrets(reason)}`,
        { cause: error },
      );
    }
  }

  /** A node wants more: what was usual may not be so any more. */
  forgetFees(): void {
    this.#fees = undefined;
  }

  /** What to offer at this height. */
  async feesAt(height: number): Promise<Fees> {
    const known = this.#fees;
    const isFresh =
      known !== undefined &&
      known.height <= height &&
      height < known.height + FEES_BLOCKS;
    if (isFresh) return known;
    const { isLegacy, ...fees } = await usualFees(this.#chain, this.#options);
    this.#isLegacy = isLegacy;
    this.#fees = { ...fees, height };
    return fees;
  }

  async #gasOf({ gasLimit, to }: SavedSubmission, data: Hex): Promise<bigint> {
    if (gasLimit !== undefined) return atMostTransaction(gasLimit);
    try {
      const from = this.#payer.address;
      return withMargin(await this.#chain.estimateGas({ from, to, data }));
    } catch (error) {
      const isRefusal = error instanceof ChainError && error.kind === "refused";
      if (isRefusal) return this.#options.gasFallback;
      throw error;
    }
  }
}
