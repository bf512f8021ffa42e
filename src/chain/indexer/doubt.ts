import type { Timers } from "../../async/timers.ts";

/** How long something must go on before it counts. */
export interface DoubtOptions {
  /** After so long it is told as trouble. */
  readonly doubtMs: number;
  /** After so long, and as many looks, nothing else is expected. */
  readonly sureMs: number;
  readonly sureLooks: number;
}

/** Something that is probably passing: told when it lasts, believed when it lasts much longer. */
export class Doubt {
  readonly #options: DoubtOptions;
  readonly #timers: Timers;
  #looks = 0;
  #isWorthTelling = false;
  #isLong = false;
  #cancel: readonly (() => void)[] = [];

  constructor(options: DoubtOptions, ports: { readonly timers: Timers }) {
    this.#options = options;
    this.#timers = ports.timers;
  }

  get isWorthTelling(): boolean {
    return this.#isWorthTelling;
  }

  get isSure(): boolean {
    return this.#isLong && this.#looks >= this.#options.sureLooks;
  }

  /** It was seen once more. */
  add(): void {
    if (this.#looks++ > 0) return;
    const { doubtMs, sureMs } = this.#options;
    this.#cancel = [
      this.#timers.after(doubtMs, () => {
        this.#isWorthTelling = true;
      }),
      this.#timers.after(sureMs, () => {
        this.#isLong = true;
      }),
    ];
  }

  /** It is over. */
  end(): void {
    for (const cancel of this.#cancel) cancel();
    this.#cancel = [];
    this.#looks = 0;
    this.#isWorthTelling = false;
    this.#isLong = false;
  }
}
