import type {
  DomainSimulation,
  DrawnCall,
  History,
} from "hardhat-sequencer/simulation";
import { z } from "zod";

import { auction } from "../domains/auction.ts";

// npx hardhat sequencer:simulate --domain ./simulation/auction.ts

const intentType = z.object({
  type: z.enum(["open", "bid", "close"]),
  lot: z.string().optional(),
  amount: z.string().optional(),
});
const resultType = z.object({ winner: z.string(), price: z.string() });

/** What users of the auction do, and what must come of it whatever goes wrong. */
const simulation: DomainSimulation = {
  domain: auction,
  configure: ({ members }) => ({
    houses: members.slice(0, Math.ceil(members.length / 2)).join(","),
  }),
  drawCalls: () => {
    const lots: string[] = [];
    return (random, { id }): DrawnCall => {
      if (lots.length === 0 || random.chance(0.3)) {
        lots.push(id);
        return { from: "ann", signature: "open()", args: {} };
      }
      const lot = random.pick(lots);
      const amount = String(random.between(1, 1_000));
      return random.chance(0.8)
        ? {
            from: "ben",
            signature: "bid(bytes32,uint256)",
            args: { lot, amount },
          }
        : { from: "ann", signature: "close(bytes32)", args: { lot } };
    };
  },
  check: checkResults,
};
export default simulation;

/** The same auctions on paper, in the order of the ledger. */
function checkResults({ steps, unspent }: History): void {
  const bids = new Map<string, { bidder: string; amount: bigint }[]>();
  const results = new Map<string, string>();
  for (const { intentId, sender, payload } of steps) {
    const {
      type,
      lot = intentId,
      amount = "0",
    } = intentType.parse(JSON.parse(payload));
    if (type === "open") bids.set(lot, []);
    if (type === "bid")
      bids.get(lot)?.push({ bidder: sender, amount: BigInt(amount) });
    if (type !== "close") continue;
    // Of two equal bids the first one wins.
    const best = (bids.get(lot) ?? []).reduce(
      (first, next) => (next.amount > first.amount ? next : first),
      { bidder: "", amount: 0n },
    );
    results.set(lot, `${best.bidder} ${best.amount}`);
  }
  const closed = unspent.filter(({ schema }) => schema === "result");
  if (closed.length !== results.size)
    throw new Error(`${closed.length} results for ${results.size} lots`);
  for (const { label, data } of closed) {
    const { winner, price } = resultType.parse(data);
    if (results.get(label) !== `${winner} ${price}`)
      throw new Error(`Lot ${label} went to ${winner} for ${price}`);
  }
}
