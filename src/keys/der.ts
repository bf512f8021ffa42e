/** Values in DER, as far as a certificate needs them. What has parts takes them in their order. */
export const der = {
  sequence: (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, parts),
  set: (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, parts),
  /** At least 0, highest byte first. */
  integer: (bytes: Uint8Array): Buffer => tagged(0x02, [unsigned(bytes)]),
  boolean: (value: boolean): Buffer =>
    tagged(0x01, [Buffer.of(value ? 0xff : 0)]),
  /** Whole bytes unless told how many bits of the last one are not used. */
  bits: (bytes: Uint8Array, unused = 0): Buffer =>
    tagged(0x03, [Buffer.of(unused), bytes]),
  octets: (bytes: Uint8Array): Buffer => tagged(0x04, [bytes]),
  /** The bytes of an object identifier, as its standard lists them. */
  objectId: (...bytes: readonly number[]): Buffer =>
    tagged(0x06, [Buffer.from(bytes)]),
  text: (value: string): Buffer => tagged(0x0c, [Buffer.from(value)]),
  /** YYMMDDhhmmssZ, until 2049. */
  shortTime: (value: string): Buffer => tagged(0x17, [Buffer.from(value)]),
  /** YYYYMMDDhhmmssZ. */
  longTime: (value: string): Buffer => tagged(0x18, [Buffer.from(value)]),
  /** What a standard writes as [number] EXPLICIT. */
  explicit: (number: number, part: Uint8Array): Buffer =>
    tagged(0xa0 + number, [part]),
};

function tagged(tag: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
}

function lengthOf({ length }: Uint8Array): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  if (length < 0x10000) return Buffer.of(0x82, length >> 8, length & 0xff);
  throw new Error("No certificate has so many bytes.");
}

/** No more zeros before the number than keep it from being negative. */
function unsigned(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  return (digits[0] ?? 0) < 0x80
    ? digits
    : Buffer.concat([Buffer.of(0), digits]);
}
