/** What all operators have in common. */
import type { Node, Range } from "./ast.ts";

/** One change of one range. */
export interface Edit extends Range {
  readonly operator: string;
  readonly replacement: string;
}

/** What an operator may know besides the node. */
export interface Context {
  readonly ancestors: readonly Node[];
  /** The source text of a range. */
  readonly slice: (range: Range) => string;
}

/** Proposes edits for a node; most operators have nothing to say about most nodes. */
export type Operator = (node: Node, context: Context) => Edit[];

/** A number next to the one written here, in the same notation. */
export function neighbours(literal: string): string[] {
  const value = BigInt(literal.replaceAll("_", ""));
  const write = (number: bigint): string =>
    literal.startsWith("0x") ? `0x${number.toString(16)}` : number.toString();
  return value === 0n ? [write(1n)] : [write(value - 1n), write(value + 1n)];
}
