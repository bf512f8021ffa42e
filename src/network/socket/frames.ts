// A frame is the number of its bytes, highest byte first in four bytes, and then those. One of no bytes is a ping from whoever
// dialled, and a pong from whoever was dialled.

const headerBytes = 4;

/** A frame of no bytes. */
export const emptyFrame: Uint8Array = new Uint8Array(headerBytes);

/** What comes before the bytes of a frame. */
export function frameHeader(bytes: number): Uint8Array {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(bytes);
  return header;
}

/** Cuts a stream of bytes into frames, in whatever chunks it comes. Holds one frame at most. */
export class FrameReader {
  readonly #bytesMax: number;
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  #body: Buffer | undefined;
  #bodyLength = 0;

  constructor(options: { readonly bytesMax: number }) {
    this.#bytesMax = options.bytesMax;
  }

  /** Whether a frame has begun and not come to its end. */
  get isInside(): boolean {
    return this.#headerLength > 0;
  }

  /** The frames that end in this chunk. After one that is too large nothing can be read any more. */
  *read(chunk: Uint8Array): Generator<Uint8Array | "oversized"> {
    let at = 0;
    while (at < chunk.length) {
      at += this.#readHeader(chunk.subarray(at));
      if (this.#headerLength < headerBytes) return;
      const length = this.#header.readUInt32BE();
      if (length > this.#bytesMax) {
        yield "oversized";
        return;
      }
      const rest = chunk.subarray(at);
      if (this.#body === undefined && rest.length >= length) {
        // Most frames are in one chunk and need not be copied.
        at += length;
        this.#headerLength = 0;
        yield rest.subarray(0, length);
        continue;
      }
      at += this.#readBody(rest, length);
      if (this.#body === undefined || this.#bodyLength < length) return;
      const frame = this.#body;
      this.#body = undefined;
      this.#headerLength = 0;
      yield frame;
    }
  }

  #readHeader(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, headerBytes - this.#headerLength);
    this.#header.set(taken, this.#headerLength);
    this.#headerLength += taken.length;
    return taken.length;
  }

  #readBody(bytes: Uint8Array, length: number): number {
    if (this.#body === undefined) {
      this.#body = Buffer.allocUnsafeSlow(length);
      this.#bodyLength = 0;
    }
    const taken = bytes.subarray(0, length - this.#bodyLength);
    this.#body.set(taken, this.#bodyLength);
    this.#bodyLength += taken.length;
    return taken.length;
  }
}
