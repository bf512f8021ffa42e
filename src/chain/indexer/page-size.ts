/** How many blocks to ask for at once: fewer when a node refuses, and slowly more when it does not. */
export class PageSize {
  readonly #blocksMax: number;
  #blocks: number;

  constructor(options: { readonly blocksMax: number }) {
    this.#blocksMax = options.blocksMax;
    this.#blocks = options.blocksMax;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** False if there is nothing smaller to ask for. */
  shrink(): boolean {
    if (this.#blocks === 1) return false;
    this.#blocks = Math.max(1, Math.floor(this.#blocks / 2));
    return true;
  }

  grow(): void {
    const more = this.#blocks + Math.ceil(this.#blocks / 4);
    this.#blocks = Math.min(this.#blocksMax, more);
  }
}
