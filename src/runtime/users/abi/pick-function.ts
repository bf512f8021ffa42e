import { FunctionFragment } from "ethers";

import { UserError } from "../errors.ts";
import type { Abi } from "./parse-abi.ts";
import { signatureOf } from "./signature.ts";

/** The function of an ABI that a user means: by selector, by signature or by name; the only one if he does not say. */
export function pickFunction(abi: Abi, asked: string): FunctionFragment {
  const matches = abi.items.flatMap(({ fragment }) =>
    fragment instanceof FunctionFragment && isMeant(fragment, asked)
      ? [fragment]
      : [],
  );
  const [first, second] = matches;
  if (first === undefined)
    throw new UserError(
      "PD012206",
      `No function of the ABI is meant by '${asked}'`,
    );
  if (second !== undefined)
    throw new UserError(
      "PD012205",
      `'${asked}' means more than one function of the ABI: ${first.format()} and ${second.format()}`,
    );
  return first;
}

/** The function with a signature; undefined if there is none. */
export function functionOf(
  { items }: Abi,
  signature: string,
): FunctionFragment | undefined {
  return items
    .map(({ fragment }) => fragment)
    .filter((fragment) => fragment instanceof FunctionFragment)
    .find((fragment) => signatureOf(fragment) === signature);
}

function isMeant(fragment: FunctionFragment, asked: string): boolean {
  if (asked === "") return true;
  if (/^0x[\da-f]{8}$/i.test(asked))
    return fragment.selector === asked.toLowerCase();
  if (asked.includes("("))
    return fragment.format() === asked.replaceAll(/\s/g, "");
  return fragment.name === asked;
}
