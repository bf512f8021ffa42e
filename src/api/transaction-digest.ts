import { type Digest, parseDigest } from "../protocol/ids.ts";

/** A user's transaction where 32 bytes name it: the 16 bytes of its UUID, then zeros. */
export function digestOfId(id: string): Digest {
  const digits = id.replaceAll("-", "").toLowerCase();
  const digest = parseDigest(`0x${digits.padEnd(64, "0")}`);
  if (digest === undefined) throw new Error(`${id} is no UUID.`);
  return digest;
}

/** The UUID again. */
export function idOfDigest(digest: Digest): string {
  const [, ...parts] = /^0x(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(digest) ?? [];
  return parts.join("-");
}
