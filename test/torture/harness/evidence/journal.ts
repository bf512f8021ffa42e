import { createWriteStream, type WriteStream } from "node:fs";

/** Keeps entries, and writes each to a file at once, as one line: what was heard must outlive this process. */
export class Journal<Entry extends object> {
  readonly entries: Entry[] = [];
  readonly #file: WriteStream;

  constructor(file: string) {
    this.#file = createWriteStream(file, { flags: "a" });
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#file.write(`${JSON.stringify(entry)}\n`);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#file.end(resolve));
  }
}
