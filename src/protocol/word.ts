/** "0x" and two digits for each of 32 bytes. */
const LENGTH = 66;

const isDigit = new Uint8Array(128);
for (const digit of "0123456789abcdef") isDigit[digit.charCodeAt(0)] = 1;

/**
 * Whether a string is 32 bytes as lower-case hexadecimal digits after `0x`. A regular expression takes three times as long, and
 * every id of every message is looked at.
 */
export function isWord(value: string): boolean {
  if (value.length !== LENGTH || !value.startsWith("0x")) return false;
  let all = 1;
  for (let at = 2; at < LENGTH; at++) all &= isDigit[value.charCodeAt(at)] ?? 0;
  return all === 1;
}
