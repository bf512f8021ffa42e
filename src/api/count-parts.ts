/** Whether a JSON value has more parts than allowed: values, lists and objects. Looks at no more than that many. */
export function hasMoreParts(value: unknown, max: number): boolean {
  const waiting: unknown[] = [value];
  for (let parts = 1; waiting.length > 0; parts++) {
    if (parts > max) return true;
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const part of Object.values(next)) {
      if (parts + waiting.length >= max) return true;
      waiting.push(part);
    }
  }
  return false;
}
