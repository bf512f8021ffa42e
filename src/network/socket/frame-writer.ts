import type { Writable } from "node:stream";

import { emptyFrame, frameHeader } from "./frames.ts";

/** Large frames go in pieces, so that a socket never holds much, and each piece that went shows that the other side reads. */
const pieceBytes = 65_536;

interface FrameWriterPorts {
  /** What to write next. */
  readonly next: () => Uint8Array | undefined;
  /** A frame did not go to its end. */
  readonly onCut: () => void;
}

/** Writes frames one after another, no faster than the other side reads. */
export class FrameWriter {
  readonly #socket: Writable;
  readonly #ports: FrameWriterPorts;
  #frame: { readonly wire: Uint8Array; at: number } | undefined;
  #isPingDue = false;
  #isFull = false;

  constructor(socket: Writable, ports: FrameWriterPorts) {
    this.#socket = socket;
    this.#ports = ports;
  }

  /** Whether a ping waits for the end of a frame. */
  get isPingDue(): boolean {
    return this.#isPingDue;
  }

  ping(): void {
    this.#isPingDue = true;
    this.write();
  }

  /** The socket has room again. */
  drained(): void {
    this.#isFull = false;
    this.write();
  }

  /** As much as the socket takes. */
  write(): void {
    if (this.#isFull) return;
    const socket = this.#socket;
    // What is written in one go leaves together.
    socket.cork();
    process.nextTick(() => {
      socket.uncork();
    });
    while (this.#writeNext());
  }

  /** Nothing more is written. */
  end(): void {
    this.#isFull = true;
    if (this.#frame !== undefined) this.#ports.onCut();
    this.#frame = undefined;
  }

  #writeNext(): boolean {
    if (this.#isFull) return false;
    if (this.#frame !== undefined) return this.#writePiece(this.#frame);
    if (this.#isPingDue) {
      this.#isPingDue = false;
      this.#isFull = !this.#socket.write(emptyFrame);
      return true;
    }
    const wire = this.#ports.next();
    if (wire === undefined) return false;
    this.#frame = { wire, at: 0 };
    this.#isFull = !this.#socket.write(frameHeader(wire.length));
    return true;
  }

  #writePiece(frame: { readonly wire: Uint8Array; at: number }): boolean {
    const piece = frame.wire.subarray(frame.at, frame.at + pieceBytes);
    frame.at += piece.length;
    const isLast = frame.at === frame.wire.length;
    if (isLast) this.#frame = undefined;
    this.#isFull = !this.#socket.write(piece, (error) => {
      if (isLast && error !== undefined && error !== null) this.#ports.onCut();
    });
    return true;
  }
}
