import type { GroupAddress } from "../../../src/protocol/ids.ts";
import type { NodeSettings } from "../../../src/node/settings.ts";
import type { BenchChain } from "../chains.ts";
import { openApart } from "./apart.ts";
import { openTogether } from "./together.ts";

/** Four nodes that spend one pot, wherever they run. */
export interface Spenders {
  readonly group: GroupAddress;
  /** Sees to it that this many intents leave something. */
  readonly fill: (intents: number) => Promise<void>;
  /** Intents of all nodes in turn, as fast as nodes take them. Resolves when every node has seen all of them happen. */
  readonly spend: (intents: number) => Promise<void>;
  /** Throws unless every node thinks that the pot holds what it should. */
  readonly check: () => Promise<void>;
  /** Submissions that the ledger, or the chain, did not take. */
  readonly failures: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** As users have them: on a chain in this process they are in this process too; otherwise each has one of its own. */
export async function openSpenders(
  chain: BenchChain,
  settings: Partial<NodeSettings>,
): Promise<Spenders> {
  const { url } = chain;
  return url === undefined
    ? await openTogether(chain, settings)
    : await openApart({ ...chain, url }, settings);
}
