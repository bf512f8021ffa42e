import { FunctionFragment } from "ethers";

import { UserError } from "../errors.ts";
import type { Abi } from "./parse-abi.ts";
import { declarationOf, signatureOf } from "./signature.ts";

/** Functions that an error names. More would not fit its message. */
const namedMax = 20;

/** The function of an ABI that a user means: by selector, by signature or by name; the only one without any of these. */
export function pickFunction(abi: Abi, asked: string): FunctionFragment {
  const all = functionsOf(abi);
  const matches = meantBy(all, asked);
  const [first, second] = matches;
  if (first === undefined)
    throw new UserError(
      "PD012206",
      `There is no function '${asked}'. There are: ${declarations(all)}`,
    );
  if (second !== undefined)
    throw new UserError(
      "PD012205",
      `'${asked}' means several functions. Give the types too: ${declarations(matches)}`,
    );
  return first;
}

/** The functions that a user may mean. */
export function meantBy(
  fragments: readonly FunctionFragment[],
  asked: string,
): readonly FunctionFragment[] {
  const name = asked.trim();
  if (name === "") return fragments;
  if (/^0x[\da-f]{8}$/i.test(name))
    return fragments.filter(({ selector }) => selector === name.toLowerCase());
  if (!name.includes("("))
    return fragments.filter((fragment) => fragment.name === name);
  const withSignature = (signature: string): readonly FunctionFragment[] =>
    fragments.filter((fragment) => signatureOf(fragment) === signature);
  const exact = withSignature(name.replaceAll(/\s/g, ""));
  return exact.length > 0 ? exact : withSignature(readSignature(name));
}

/** Functions with the names of their arguments, for an error. */
export function declarations(fragments: readonly FunctionFragment[]): string {
  const named = fragments.slice(0, namedMax).map(declarationOf);
  const left = fragments.length - named.length;
  if (named.length === 0) return "none";
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join(", ");
}

export function functionsOf({ items }: Abi): readonly FunctionFragment[] {
  return items
    .map(({ fragment }) => fragment)
    .filter((fragment) => fragment instanceof FunctionFragment);
}

/** The function with a signature; undefined if there is none. */
export function functionOf(
  abi: Abi,
  signature: string,
): FunctionFragment | undefined {
  return functionsOf(abi).find(
    (fragment) => signatureOf(fragment) === signature,
  );
}

/** The types may be written as in Solidity: with the names of the arguments, `uint` for `uint256`, and spaces. */
function readSignature(text: string): string {
  try {
    return signatureOf(FunctionFragment.from(text));
  } catch {
    return text;
  }
}
