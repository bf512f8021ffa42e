import { type Notification, SocketClient } from "./client.ts";

/** A receipt, as a listener gets it. */
export interface HeardReceipt {
  readonly id: string;
  readonly sequence: number;
  readonly success?: true;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  readonly failureMessage?: string;
}

/**
 * A user's program that listens to all receipts of a node. It acknowledges a batch when it has it for good. Its line may be
 * cut at any time, and then it listens again: only what it had not acknowledged may come a second time.
 */
export class Listening {
  readonly #mustCut: () => boolean;
  /** The last one that it has for good, and the last one before the batch with that one. */
  #last = 0;
  #lastBefore = 0;
  #isStopped = false;
  #socket: SocketClient | undefined;
  #running: Promise<void> = Promise.resolve();
  /** What it has for good, in order. */
  readonly heard: HeardReceipt[] = [];
  /** What must not happen. */
  readonly wrong: string[] = [];
  cuts = 0;

  constructor(options: {
    /** Asked for each batch: whether the line is cut before it is acknowledged. */
    readonly mustCut: () => boolean;
  }) {
    this.#mustCut = options.mustCut;
  }

  /** The listener must exist. */
  start(url: string, name: string): void {
    this.#isStopped = false;
    this.#running = this.#run(url, name);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket?.cut();
    await this.#running;
  }

  async #run(url: string, name: string): Promise<void> {
    while (!this.#isStopped) {
      const socket = await SocketClient.open(url).catch(() => undefined);
      // The node is down. Somebody starts this again.
      if (socket === undefined) return;
      this.#socket = socket;
      if (this.#mustStop()) socket.cut();
      await this.#listen(socket, name);
    }
  }

  /** Until the line is cut. */
  async #listen(socket: SocketClient, name: string): Promise<void> {
    socket.send("ptx_subscribe", "receipts", name);
    const answer = await Promise.race([socket.next(), socket.closed]);
    // An acknowledgement on the way may have been lost with the last line.
    let known = this.#lastBefore;
    for (;;) {
      const next = await Promise.race([socket.next(), socket.closed]);
      if (next === undefined || answer === undefined) return;
      const { receipts } = (next as Notification).params.result;
      this.#check(receipts, known);
      if (this.#mustCut()) {
        this.cuts++;
        socket.cut();
        await socket.closed;
        return;
      }
      this.#take(receipts);
      known = this.#last;
      socket.send("ptx_ack", answer.result);
    }
  }

  #take(receipts: readonly HeardReceipt[]): void {
    const last = receipts.at(-1)?.sequence ?? 0;
    if (last <= this.#last) return;
    this.heard.push(...receipts.filter((one) => one.sequence > this.#last));
    this.#lastBefore = this.#last;
    this.#last = last;
  }

  #check(receipts: readonly HeardReceipt[], known: number): void {
    let last = known;
    if (receipts.length === 0) this.wrong.push("A batch without receipts.");
    for (const { id, sequence } of receipts) {
      if (sequence <= last)
        this.wrong.push(`Receipt ${sequence} of ${id} came after ${last}.`);
      last = sequence;
    }
  }

  #mustStop(): boolean {
    return this.#isStopped;
  }
}
