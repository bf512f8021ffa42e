import { toProgress } from "./format.ts";

/** Where people look while they wait. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

const everyMs = { terminal: 100, pipe: 5_000 };
const clearLine = "\r\u001B[2K";

/** Says how far it is: in place on a terminal, and a plain line now and then in a pipe. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  #shownMs: number;
  #isShown = false;

  constructor(stream: ProgressStream, now: () => number) {
    this.#stream = stream;
    this.#now = now;
    this.#shownMs = now();
  }

  show(done: number, seeds: number): void {
    const isTerminal = this.#stream.isTTY === true;
    const pauseMs = isTerminal ? everyMs.terminal : everyMs.pipe;
    if (this.#now() - this.#shownMs < pauseMs) return;
    this.#shownMs = this.#now();
    const line = toProgress(done, seeds);
    this.#stream.write(isTerminal ? `${clearLine}${line}` : `${line}\n`);
    this.#isShown = isTerminal;
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#isShown) this.#stream.write(clearLine);
    this.#isShown = false;
  }
}
