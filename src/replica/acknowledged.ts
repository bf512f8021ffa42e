import { createHash } from "node:crypto";
import { closeSync, fdatasync, openSync, readSync, writeSync } from "node:fs";

import type { Timers } from "../async/timers.ts";
import { emptyHead, type Head } from "../store/log/chain.ts";
import { createPrivately } from "../store/create-privately.ts";

const HASH_BYTES = 32;
const CHECK_BYTES = 8;
const SLOT_BYTES = 8 + HASH_BYTES + CHECK_BYTES;
/** The operating system is asked to bring the file to the disk this often at most. */
const SYNC_EVERY_MS = 1_000;

/**
 * The last turn that this replica knows to be durable, in a file next to the store: with it a log that has lost turns is told from a store
 * that has turns which were never durable (see `place.ts`). It is a file of its own, because a store may be deleted and rebuilt, and then
 * the log must still have what it had.
 *
 * It is written before anybody hears of a turn, by a call of the operating system that does not wait for the disk. So it survives every end
 * of the process. After a loss of power it may be a few seconds behind, and only turns of those seconds could then be missing in the log
 * without being missed here; other replicas, which have followed them, miss them still. Two slots are written in turn, so that one that
 * is half written leaves the other.
 */
export class Acknowledged {
  readonly #descriptor: number;
  readonly #timers: Timers;
  #head: Head;
  #slot = 0;
  #isSyncing = false;
  #isDirty = false;
  #cancelPause: (() => void) | undefined;
  #isClosed = false;

  constructor(
    options: { readonly file: string },
    ports: { readonly timers: Timers },
  ) {
    createPrivately(options.file);
    this.#descriptor = openSync(options.file, "r+");
    this.#timers = ports.timers;
    const slots = [0, 1].map((slot) => this.#read(slot));
    const [first = emptyHead, second = emptyHead] = slots;
    this.#head = first.sequence > second.sequence ? first : second;
    this.#slot = this.#head === first ? 1 : 0;
  }

  get head(): Head {
    return this.#head;
  }

  /** A turn is durable; so are all before it. */
  remember(head: Head): void {
    if (head.sequence <= this.#head.sequence || this.#isClosed) return;
    const bytes = Buffer.alloc(SLOT_BYTES);
    bytes.writeBigUInt64BE(BigInt(head.sequence));
    bytes.write(head.hash, 8, "hex");
    checkOf(bytes).copy(bytes, 8 + HASH_BYTES);
    writeSync(this.#descriptor, bytes, 0, SLOT_BYTES, this.#slot * SLOT_BYTES);
    this.#slot = 1 - this.#slot;
    this.#head = { sequence: head.sequence, hash: head.hash };
    this.#sync();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelPause?.();
    if (!this.#isSyncing) closeSync(this.#descriptor);
  }

  #read(slot: number): Head | undefined {
    const bytes = Buffer.alloc(SLOT_BYTES);
    const position = slot * SLOT_BYTES;
    const count = readSync(this.#descriptor, bytes, 0, SLOT_BYTES, position);
    const check = bytes.subarray(8 + HASH_BYTES);
    if (count < SLOT_BYTES || !checkOf(bytes).equals(check)) return undefined;
    return {
      sequence: Number(bytes.readBigUInt64BE()),
      hash: bytes.toString("hex", 8, 8 + HASH_BYTES),
    };
  }

  #sync(): void {
    if (this.#isSyncing || this.#cancelPause !== undefined) {
      this.#isDirty = true;
      return;
    }
    this.#isDirty = false;
    this.#isSyncing = true;
    // A disk that fails here shows that to the store, too.
    fdatasync(this.#descriptor, () => {
      this.#isSyncing = false;
      if (this.#isClosed) closeSync(this.#descriptor);
      else this.#pause();
    });
  }

  #pause(): void {
    this.#cancelPause = this.#timers.after(SYNC_EVERY_MS, () => {
      this.#cancelPause = undefined;
      if (this.#isDirty) this.#sync();
    });
  }
}

function checkOf(slot: Buffer): Buffer {
  return createHash("sha256")
    .update(slot.subarray(0, 8 + HASH_BYTES))
    .digest()
    .subarray(0, CHECK_BYTES);
}
