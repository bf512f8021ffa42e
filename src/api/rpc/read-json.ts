import { codes, RpcError } from "./errors.ts";

/** Reads JSON that is not nested deeper than asked; otherwise throws an {@link RpcError}. */
export function readJson(text: string, depthMax: number): unknown {
  requireShallow(text, depthMax);
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(codes.parse, "PD020700: The request is not JSON");
  }
}

/** Objects and lists in one body: those of the largest ABI. Each is looked at several times, and all in one go. */
const partsMax = 32_768;

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Looks at the text, because whatever walks through a value calls itself for every level. */
function requireShallow(text: string, depthMax: number): void {
  let depth = 0;
  let parts = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    // In a megabyte of text, numbers are faster than characters.
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === backslash) index++;
      else if (code === quote) isInString = false;
    } else if (code === quote) isInString = true;
    else if (code === openBracket || code === openBrace) {
      depth++;
      parts++;
    } else if (code === closeBracket || code === closeBrace) depth--;
    if (parts > partsMax)
      throw new RpcError(
        codes.parse,
        `PD020700: The request has more than ${partsMax} objects and lists. Send less at once`,
      );
    if (depth > depthMax)
      throw new RpcError(
        codes.parse,
        `PD020700: The request is nested deeper than ${depthMax} levels`,
      );
  }
}
