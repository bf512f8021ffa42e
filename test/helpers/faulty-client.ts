import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import type { Random } from "./random.ts";

/** How often a request fails, and whether it does at all. */
export interface Faults {
  readonly random: Random;
  readonly probability: number;
  isOn: boolean;
  count: number;
}

// No empty list among them: a node that says that there are no logs must be believed.
const GARBAGE: readonly unknown[] = [
  "0x",
  "nonsense",
  7,
  {},
  [{}],
  { number: "0x", hash: null },
  true,
];

/** A node that loses requests and answers, refuses for no reason, and answers with nonsense. */
export function aFaultyClient(
  client: ChainClient,
  faults: Faults,
): ChainClient {
  const { random, probability } = faults;
  return {
    ...client,
    request: async (method, params) => {
      if (!faults.isOn || !random.chance(probability))
        return await client.request(method, params);
      faults.count++;
      switch (random.below(5)) {
        case 0:
          throw new ChainError("unreachable", "It never arrived.");
        case 1:
          // It did happen, but nobody knows.
          await client.request(method, params).catch(() => undefined);
          throw new ChainError("unreachable", "The answer was lost.");
        case 2:
          throw new ChainError("unreachable", "429");
        case 3:
          throw new ChainError("refused", "internal error", { code: -32603 });
        default:
          if (method === "eth_sendRawTransaction")
            await client.request(method, params).catch(() => undefined);
          return random.pick(GARBAGE);
      }
    },
  };
}
