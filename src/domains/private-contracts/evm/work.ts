import { bounds } from "../bounds.ts";
import { EvmRefusal } from "./refusal.ts";

/** The error of a transaction that asks for more work than it may. */
export const TOO_MUCH_WORK = "too much work";

/** Price of a call or creation, and of all that the EVM copies for it: 40 microseconds, and more with every one before. */
const FRAME = 400;
const FRAMES_AND_LOGS_SHARE = 32;
/** Bytes of code that the EVM searches for jump destinations in one unit, again for every call. */
const CODE_BYTES_PER_UNIT = 2;

/**
 * Counts the work of a transaction that its gas does not pay for. On this EVM some operations take up to eighty times longer than
 * their gas says. Contracts see the same gas as on a chain; work is counted beside it, in units of about 100 nanoseconds, and
 * a transaction that exceeds its limit fails. The counts depend on the transaction alone: all nodes come to the same.
 */
export class Work {
  #left: number;
  #framesAndLogs = 0;
  /** Bytes of code of every call under way, the outermost first. */
  readonly #codes: number[] = [];
  #codeBytes = 0;

  constructor(options: { readonly limit: bigint }) {
    this.#left = Number(options.limit);
  }

  /** Throws an {@link EvmRefusal} that no contract can catch. */
  charge(units: number): void {
    // One operation cannot be interrupted, so others wait for all of it.
    if (units > bounds.operationWork || units > this.#left)
      throw new EvmRefusal(TOO_MUCH_WORK);
    this.#left -= units;
  }

  /** A call or a creation begins. */
  enter(frame: {
    /** Of the code that it runs. */
    readonly codeBytes: number;
    /** Entries that the EVM copies for it. */
    readonly copied: number;
  }): void {
    const { codeBytes, copied } = frame;
    const before = Math.ceil(this.#framesAndLogs / FRAMES_AND_LOGS_SHARE);
    const search = Math.ceil(codeBytes / CODE_BYTES_PER_UNIT);
    this.charge(FRAME + before + search + copied);
    this.#framesAndLogs += 1;
    this.#codes.push(codeBytes);
    this.#codeBytes += codeBytes;
    if (this.#codeBytes > bounds.codeBytesAtOnce)
      throw new EvmRefusal(TOO_MUCH_WORK);
  }

  leave(): void {
    this.#codeBytes -= this.#codes.pop() ?? 0;
  }

  /** Events are copied for every call that follows. */
  log(): void {
    this.#framesAndLogs += 1;
  }
}
