import type { SequencerErrorCode } from "../../../../src/plugin/errors.ts";

/** Words of the command line. `{…}` stands for something of the test's world. */
type Words = readonly string[];

/** A command that must fail. */
export interface BadInvocation {
  readonly words: Words;
  /** Of our own error, or "HARDHAT" if Hardhat itself refuses it. */
  readonly code: SequencerErrorCode | "HARDHAT";
  /** What the message must name: the value, or the option if there is none. */
  readonly names: readonly string[];
}

export type Row = readonly [
  code: BadInvocation["code"],
  options: Words,
  names: string | readonly string[],
];

export const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
export const zero = `0x${"0".repeat(40)}`;
export const huge = "9".repeat(40);
export const secretUrl = "http://user:secret@127.0.0.1:1";
/** A data directory with an identity. */
export const home = ["--name", "alice", "--data-dir", "{nodes}"];

/** The rows of a task as commands. */
export function of(
  task: string,
  rows: readonly Row[],
): readonly BadInvocation[] {
  return rows.map(([code, options, names]) => ({
    words: [...task.split(" "), ...options],
    code,
    names: typeof names === "string" ? [names] : names,
  }));
}
