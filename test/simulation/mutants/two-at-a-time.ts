/** Starts tasks two at a time, in order: as many as there are cores to count on. */
export function twoAtATime<Result>(
  tasks: readonly (() => Promise<Result>)[],
): Promise<Result>[] {
  const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  return tasks.map((start, index) => {
    const lane = index % lanes.length;
    const result = (lanes[lane] ?? Promise.resolve()).then(start);
    lanes[lane] = result.catch(() => undefined);
    return result;
  });
}
