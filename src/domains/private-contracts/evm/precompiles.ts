import type { Common } from "@ethereumjs/common";
import {
  type AddPrecompile,
  getActivePrecompiles,
  type PrecompileInput,
} from "@ethereumjs/evm";

import { toNumber } from "../values.ts";
import type { Pace } from "./pace.ts";
import { EvmRefusal } from "./refusal.ts";
import type { Work } from "./work.ts";

type Price = (input: PrecompileInput) => number;

/** Lengths beyond this are out of gas, whatever they are of. */
const LENGTH_MAX = 2 ** 31 - 1;

const always =
  (units: number): Price =>
  () =>
    units;

/** For lists of points. Whoever has not the gas for them gets nothing computed. */
const each =
  (price: {
    readonly base: number;
    readonly item: number;
    readonly bytes: number;
    /** The least gas of an item. */
    readonly gas: number;
  }): Price =>
  ({ data, gasLimit }) => {
    const items = Math.floor(data.length / price.bytes);
    return BigInt(items * price.gas) > gasLimit
      ? 0
      : price.base + items * price.item;
  };

const blake2f: Price = ({ data, gasLimit }) => {
  const rounds = toNumber(data.subarray(0, 4));
  return rounds > gasLimit ? 0 : 2_000 + 5 * Number(rounds);
};

/** One multiplication or two for every bit of the exponent, which is shifted as a whole each time. */
const modexp: Price = ({ data, gasLimit }) => {
  const lengthAt = (start: number): number =>
    Number(toNumber(padded(data.subarray(start, start + 32))));
  const [base, exponent, modulus] = [lengthAt(0), lengthAt(32), lengthAt(64)];
  if (Math.max(base, exponent, modulus) > LENGTH_MAX) return 0;
  const words = Math.ceil(Math.max(base, modulus) / 8);
  const gasMin = (Math.max(1, 8 * (exponent - 32)) * words * words) / 3;
  if (gasMin > Number(gasLimit)) return 0;
  const round = 10 + words + (words * words) / 12 + exponent / 256;
  return Math.ceil(100 + 8 * exponent * round);
};

/** Missing bytes are zeroes. */
function padded(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(32);
  word.set(bytes);
  return word;
}

const unavailable: Price = () => {
  throw new EvmRefusal("the point evaluation of EIP-4844 is not available");
};

/** Work beyond their gas, by address; measured, see the decision on hostile bytecode. */
const prices: Readonly<Record<number, Price>> = {
  0x01: always(15_000), // ECRECOVER
  0x02: always(100), // SHA256
  0x05: modexp,
  0x06: always(500), // BN254 addition
  0x07: always(30_000), // BN254 multiplication
  0x08: each({ base: 60_000, item: 40_000, bytes: 192, gas: 34_000 }), // BN254 pairing
  0x09: blake2f,
  0x0a: unavailable,
  0x0b: always(22_000), // BLS12-381, from here on: G1 addition
  0x0c: each({ base: 0, item: 25_000, bytes: 160, gas: 6_228 }), // G1 multiplications
  0x0d: always(37_000), // G2 addition
  0x0e: each({ base: 0, item: 80_000, bytes: 288, gas: 11_790 }), // G2 multiplications
  0x0f: each({ base: 60_000, item: 50_000, bytes: 384, gas: 32_600 }), // pairing
  0x10: always(20_000), // field to G1
  0x11: always(90_000), // field to G2
  0x100: always(35_000), // P256VERIFY
};

/** The precompiles of a rule set, by address as 40 digits. */
export type Precompiles = ReturnType<typeof getActivePrecompiles>;

export function originalPrecompiles(common: Common): Precompiles {
  return getActivePrecompiles(common);
}

/** The precompiles that count work, in place of the EVM's own. Their gas is the same. */
export function pricedPrecompiles(
  originals: Precompiles,
  { work, pace }: { readonly work: Work; readonly pace: Pace },
): AddPrecompile[] {
  return [...originals].flatMap(([digits, original]) => {
    const price = prices[Number.parseInt(digits, 16)];
    if (price === undefined) return [];
    return {
      address: `0x${digits}`,
      function: async (input) => {
        work.charge(price(input));
        await pace();
        return await original(input);
      },
    } satisfies AddPrecompile;
  });
}
