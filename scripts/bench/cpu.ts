/** Milliseconds of CPU that this process needs meanwhile, on all threads. */
export async function cpuMsOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
