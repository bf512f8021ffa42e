/** The value below which a part of them lies, from 0 to 1; NaN if there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.ceil(part * sorted.length) - 1;
  return sorted[Math.max(0, at)] ?? NaN;
}

/** The one in the middle; of two, the mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const low = sorted[Math.ceil(half) - 1] ?? NaN;
  const high = sorted[Math.floor(half)] ?? NaN;
  return (low + high) / 2;
}
