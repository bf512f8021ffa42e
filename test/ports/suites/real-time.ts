/** Looks until something holds, in the time of this machine. Throws if that takes too long. */
export async function untilInTime(
  holds: () => boolean,
  msMax = 20_000,
): Promise<void> {
  const endMs = performance.now() + msMax;
  while (!holds()) {
    if (performance.now() > endMs)
      throw new Error(`It does not hold after ${msMax} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
