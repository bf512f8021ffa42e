const rule = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;

/** Whether a user of a node, or something of his, may be called so. */
export function isName(text: string): boolean {
  return rule.test(text);
}

/** The value as a name, or undefined if it is none. */
export function parseName(value: unknown): string | undefined {
  return typeof value === "string" && isName(value) ? value : undefined;
}
