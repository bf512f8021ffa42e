import { HardhatPluginError } from "@nomicfoundation/hardhat-errors";

/**
 * Every error on which a user can act: what is wrong, with the value, and what to do next, in one or two sentences.
 * Codes are stable; texts are not.
 */
const messages = {
  ADDRESS_INVALID: ({ name, value }: { name: string; value: string }) =>
    `${name} "${value}" is not an address. Give "0x" and 40 hexadecimal digits.`,
} as const;

type Messages = typeof messages;

/** Stable name of a user error. */
export type SequencerErrorCode = keyof Messages;

/** An error on which the user can act. */
export class SequencerError<
  Code extends SequencerErrorCode = SequencerErrorCode,
> extends HardhatPluginError {
  readonly code: Code;

  constructor(
    code: Code,
    values: Parameters<Messages[Code]>[0],
    cause?: Error,
  ) {
    const message = messages[code];
    super("hardhat-sequencer", `${message(values)} [${code}]`, cause);
    this.code = code;
  }
}
