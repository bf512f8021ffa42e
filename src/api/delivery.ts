import type { Timers } from "../async/timers.ts";
import type { NumberedReceipt } from "../store/user-receipts.ts";
import type { UserBook } from "./book.ts";
import { pace } from "./pace.ts";
import type { Records } from "./records.ts";
import type { FullReceiptView } from "./shapes.ts";

/** Somebody who gets receipts. Calls `onSent` when the batch has left this process: before that nobody can acknowledge it. */
export type Receiver = (
  batch: {
    readonly batchId: number;
    readonly receipts: readonly FullReceiptView[];
  },
  onSent: () => void,
) => void;

/** A batch that one receiver gets. It may be acknowledged once it was sent. */
interface InFlight {
  readonly to: Receiver;
  readonly last: number;
  isSent: boolean;
}

/** Receipts in one batch. */
const batchMax = 100;
/** How long a batch waits that was refused twice in a row, and how long at most: a broken client must not spin. */
const pauseMs = { first: 50, max: 5_000 };
/** How long to wait for the states of a receipt to arrive. */
const incompleteMs = 1_000;
/** How long to wait when the disk did not take the receipts. */
const failedMs = 1_000;

/** Brings the receipts of one listener to who is there to receive them: one batch at a time, until it is acknowledged. */
export class Delivery {
  readonly #name: string;
  readonly #book: UserBook;
  readonly #records: Records;
  readonly #report: (error: unknown) => void;
  readonly #receivers: Receiver[] = [];
  #batches = 0;
  /** Up to this number there is no receipt for this listener that is not acknowledged. */
  #lookedAt = 0;
  #isLooking = false;
  #inFlight: InFlight | undefined;
  #refusals = 0;
  readonly #timers: Timers;
  /** Ends the pause, if there is one. */
  #endPause: (() => void) | undefined;

  constructor(
    options: { readonly name: string },
    ports: {
      readonly book: UserBook;
      readonly records: Records;
      readonly timers: Timers;
      /** Gets errors that nobody waits for. */
      readonly report: (error: unknown) => void;
    },
  ) {
    this.#report = ports.report;
    this.#name = options.name;
    this.#book = ports.book;
    this.#records = ports.records;
    this.#timers = ports.timers;
  }

  attach(receiver: Receiver): void {
    this.#receivers.push(receiver);
    this.pump();
  }

  /** What the receiver had not acknowledged goes to the next one. */
  detach(receiver: Receiver): void {
    const index = this.#receivers.indexOf(receiver);
    if (index >= 0) this.#receivers.splice(index, 1);
    if (this.#inFlight?.to !== receiver) return;
    this.#inFlight = undefined;
    this.pump();
  }

  /** The receiver has the batch for good. It cannot have one that was not sent to it: that is not acknowledged. */
  ack(receiver: Receiver): void {
    const batch = this.#inFlight;
    if (batch?.to !== receiver || !batch.isSent) return;
    // It is on the disk before the next batch is sent.
    this.#book.database.write(() => {
      this.#book.listeners.setCheckpoint(this.#name, batch.last);
    });
    this.#inFlight = undefined;
    this.#refusals = 0;
    this.pump();
  }

  /** The receiver wants the batch again. */
  nack(receiver: Receiver): void {
    if (this.#inFlight?.to !== receiver || !this.#inFlight.isSent) return;
    this.#inFlight = undefined;
    const wait = pauseMs.first * 2 ** (this.#refusals - 1);
    if (this.#refusals++ === 0) this.pump();
    else this.#wait(Math.min(wait, pauseMs.max));
  }

  /** Sends the next batch, if there is one, and somebody to get it. Never throws. */
  pump(): void {
    try {
      this.#pump();
    } catch (error) {
      this.#report(error);
    }
  }

  stop(): void {
    this.#endPause?.();
    this.#endPause = undefined;
    this.#receivers.length = 0;
    this.#inFlight = undefined;
  }

  #pump(): void {
    if (this.#inFlight !== undefined || this.#endPause !== undefined) return;
    const receiver = this.#receivers.shift();
    if (receiver === undefined) return;
    // Whoever got the last batch is the last in the row for the next one.
    this.#receivers.push(receiver);
    const batch = this.#next();
    const last = batch.at(-1)?.sequence;
    if (last === undefined) return;
    const inFlight = { to: receiver, last, isSent: false };
    this.#inFlight = inFlight;
    this.#send(inFlight, batch).catch((error: unknown) => {
      this.#report(error);
      if (this.#inFlight !== inFlight) return;
      this.#inFlight = undefined;
      this.#wait(failedMs);
    });
  }

  /** Does nothing if the receiver goes away meanwhile: another one gets the batch. */
  async #send(
    inFlight: InFlight,
    batch: readonly NumberedReceipt[],
  ): Promise<void> {
    const options = this.#book.listeners.byName(this.#name)?.options;
    const domainReceipts = options?.domainReceipts === true;
    const receipts: FullReceiptView[] = [];
    for (const receipt of batch) {
      await pace.turn();
      if (this.#inFlight !== inFlight) return;
      receipts.push(this.#records.fullReceipt(receipt, { domainReceipts }));
    }
    // Some of it may not be on the disk yet.
    await this.#book.database.settled();
    if (this.#inFlight !== inFlight) return;
    inFlight.to({ batchId: this.#batches++, receipts }, () => {
      inFlight.isSent = true;
    });
  }

  #next(): readonly NumberedReceipt[] {
    const spec = this.#book.listeners.byName(this.#name);
    if (spec?.isStarted !== true) return [];
    const checkpoint = this.#book.listeners.checkpointOf(this.#name);
    const { receipts, end } = this.#book.receipts.after(
      Math.max(checkpoint, this.#lookedAt),
      spec.filters,
      batchMax,
    );
    if (receipts.length === 0 && end !== undefined) {
      this.#lookedAt = end;
      this.#pumpSoon();
    }
    if (spec.options.incompleteStateReceiptBehavior === "process")
      return receipts;
    const gap = receipts.findIndex(
      (receipt) => !this.#records.isComplete(receipt),
    );
    if (gap === 0) this.#wait(incompleteMs);
    return gap < 0 ? receipts : receipts.slice(0, gap);
  }

  /** Others have the event loop before the next numbers are looked at. */
  #pumpSoon(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    pace.turn().then(() => {
      this.#isLooking = false;
      this.pump();
    }, this.#report);
  }

  #wait(ms: number): void {
    this.#endPause?.();
    this.#endPause = this.#timers.after(ms, () => {
      this.#endPause = undefined;
      this.pump();
    });
  }
}
