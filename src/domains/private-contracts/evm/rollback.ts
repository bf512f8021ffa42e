/** Takes back what is done after a checkpoint, latest first. */
export class Rollback {
  readonly #undo: (() => void)[] = [];
  readonly #checkpoints: number[] = [];

  /** Something was done, and this is how to take it back. */
  add(undo: () => void): void {
    this.#undo.push(undo);
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length);
  }

  /** What was done since the last checkpoint stays, unless an earlier one is gone back to. */
  commit(): void {
    this.#checkpoints.pop();
  }

  revert(): void {
    const start = this.#checkpoints.pop() ?? 0;
    for (const undo of this.#undo.splice(start).reverse()) undo();
  }
}
