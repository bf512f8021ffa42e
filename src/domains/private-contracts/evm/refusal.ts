/** Ends a transaction from within the EVM, whatever its contracts would do about it. */
export class EvmRefusal extends Error {
  override readonly name = "EvmRefusal";
}
