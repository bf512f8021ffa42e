/**
 * For `npx hardhat sequencer:simulate --domain ./my-domain.ts`: how a domain of your own is simulated. The module's default export is
 * the domain, or a {@link DomainSimulation}.
 *
 * @example
 * import type { DomainSimulation } from "hardhat-sequencer/simulation";
 * import { auction } from "./domains/auction.ts";
 *
 * const simulation: DomainSimulation = {
 *   domain: auction,
 *   configure: ({ members }) => ({ houses: members.slice(0, 2).join(",") }),
 *   drawCalls: () => (random) => ({
 *     from: random.pick(["ann", "ben"]),
 *     signature: "open()",
 *     args: {},
 *   }),
 *   check: ({ unspent }) => {
 *     if (unspent.some(({ schema }) => schema !== "lot")) throw new Error("Something else than a lot is left.");
 *   },
 * };
 * export default simulation;
 */
export type {
  DrawCall,
  DrawnCall,
  History,
  Trial as DomainSimulation,
} from "./domains/trial.ts";
export type { Random } from "./random.ts";
