/**
 * What happened lately: at least the last `size` entries, and never more than twice as many.
 *
 * Two generations, dropped as a whole. To delete the oldest entry of a single map one by one would be exact, but it
 * leaves holes at the front that every look for the oldest walks over.
 */
export interface Recent<Key, Value> {
  readonly size: number;
  newer: Map<Key, Value>;
  older: Map<Key, Value>;
}

/** Nothing happened yet. */
export function createRecent<Key, Value>(size: number): Recent<Key, Value> {
  return { size, newer: new Map(), older: new Map() };
}

/** Keeps an entry, as the newest one. */
export function remember<Key, Value>(
  recent: Recent<Key, Value>,
  key: Key,
  value: Value,
): void {
  recent.newer.set(key, value);
  if (recent.newer.size < recent.size) return;
  recent.older = recent.newer;
  recent.newer = new Map();
}

/** The value that is remembered for a key. */
export function recall<Key, Value>(
  { newer, older }: Recent<Key, Value>,
  key: Key,
): Value | undefined {
  return newer.get(key) ?? older.get(key);
}

/** Whether there is something for a key. */
export function isRemembered<Key>(
  { newer, older }: Recent<Key, unknown>,
  key: Key,
): boolean {
  return newer.has(key) || older.has(key);
}

/** Forgets everything. */
export function forgetAll(recent: Recent<unknown, unknown>): void {
  recent.newer.clear();
  recent.older.clear();
}

/** Forgets an entry before its time. */
export function forget<Key>(
  { newer, older }: Recent<Key, unknown>,
  key: Key,
): void {
  newer.delete(key);
  older.delete(key);
}
