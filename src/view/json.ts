/** Rises when a line of `--json` changes in a way that readers must know. */
export const jsonVersion = 1;

/** A fact as one line of JSON. */
export function toJson(fact: { readonly type: string }): string {
  return JSON.stringify({ version: jsonVersion, ...fact });
}
