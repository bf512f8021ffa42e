import type { Fragment } from "ethers";

/** As in `transfer(string,uint256)`; also of constructors, which have no name of their own. */
export function signatureOf(fragment: Fragment): string {
  if (fragment.type !== "constructor") return fragment.format("sighash");
  const types = fragment.inputs.map((input) => input.format("sighash"));
  return `constructor(${types.join(",")})`;
}

/** As in `event Transfer(address indexed from, uint256 value)`. */
export function solidityOf(fragment: Fragment): string {
  return fragment.format("full");
}

/** As in `balanceOf(string account) view returns (uint256 balance)`: what users need to know to call it. */
export function declarationOf(fragment: Fragment): string {
  return solidityOf(fragment).replace(/^function /, "");
}
