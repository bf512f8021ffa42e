import type { Connection } from "../shared/chain.ts";

/**
 * Lets a simulated chain make blocks also when nothing is to do: ranges are counted in blocks, and so is the time in which a
 * bundle is valid. What the user's configuration says about mining comes after what he says here.
 */
export async function keepMining(
  { networkConfig, provider }: Connection,
  {
    asked,
    usual,
  }: {
    readonly asked: number | undefined;
    readonly usual: number;
  },
): Promise<void> {
  if (networkConfig.type !== "edr-simulated") return;
  const { interval } = networkConfig.mining;
  const isConfigured = interval !== 0;
  if (asked === undefined && (isConfigured || usual === 0)) return;
  const params = [asked ?? usual];
  await provider.request({ method: "evm_setIntervalMining", params });
}
