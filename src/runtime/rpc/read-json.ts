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

/** Looks at the text, because whatever walks through a value calls itself for every level. */
function requireShallow(text: string, depthMax: number): void {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > depthMax)
      throw new RpcError(
        codes.parse,
        `PD020700: The request is nested deeper than ${depthMax} levels`,
      );
  }
}
