/** Bytes that grow while they are written. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 1_024) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** A whole number of at most 53 bits, not negative: seven bits in each byte, the lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#bytes.writeBigInt64LE(value, this.#length);
    this.#length += 8;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  /** Its length in bytes, and then the text. */
  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.count(size);
    this.#reserve(size);
    this.#bytes.write(value, this.#length, "utf8");
    this.#length += size;
  }

  /** Its length, and then the bytes. */
  blob(value: Uint8Array): void {
    this.count(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** All that was written. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads the bytes of a {@link ByteWriter}. Throws a `RangeError` where they end too soon or make no sense. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError("The bytes end too soon.");
    this.#at += 1;
    return value;
  }

  count(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (!Number.isSafeInteger(value))
        throw new RangeError("A number is too large.");
      if (byte < 128) return value;
    }
  }

  int64(): bigint {
    const at = this.#take(8);
    return this.#bytes.readBigInt64LE(at);
  }

  double(): number {
    const at = this.#take(8);
    return this.#bytes.readDoubleLE(at);
  }

  text(): string {
    const size = this.count();
    const at = this.#take(size);
    return this.#bytes.toString("utf8", at, at + size);
  }

  blob(): Uint8Array {
    return this.raw(this.count());
  }

  raw(size: number): Uint8Array {
    const at = this.#take(size);
    return Uint8Array.prototype.slice.call(this.#bytes, at, at + size);
  }

  #take(size: number): number {
    const at = this.#at;
    if (at + size > this.#bytes.length)
      throw new RangeError("The bytes end too soon.");
    this.#at += size;
    return at;
  }
}
