import { Interface } from "ethers";
import {
  type AbiEntry,
  type Domain,
  DomainRefusal,
  type DomainState,
  type NewState,
} from "hardhat-sequencer/domain";
import { z } from "zod";

// An auction with sealed bids. A member opens a lot, others bid, the seller closes it, and the highest bid wins. A bid is
// seen by its bidder, by the seller, and by the auction houses, whose endorsements count. Of a closed lot everybody learns
// the winner and the price; nobody ever learns the other bids.

const amount = z.string().regex(/^[1-9]\d{0,77}$/);
const intentType = z.discriminatedUnion("type", [
  z.object({ type: z.literal("open") }),
  z.object({ type: z.literal("bid"), lot: z.string(), amount }),
  z.object({ type: z.literal("close"), lot: z.string() }),
]);

/** A lot counts its bids, so that who closes it cannot leave one out. */
const lotType = z.object({ seller: z.string(), bids: z.number() });
const bidType = z.object({
  number: z.number(),
  bidder: z.string(),
  seller: z.string(),
  amount,
});
const resultType = z.object({ winner: z.string(), price: z.string() });

/** A step spends at most 256 states: with more bids, nobody could close the lot. */
const BIDS_MAX = 200;

const abi = new Interface([
  "function open()",
  "function bid(bytes32 lot, uint256 amount)",
  "function close(bytes32 lot)",
  "function resultOf(bytes32 lot) view returns (string winner, uint256 price)",
]);

/** The domain `auction`. */
export const auction: Domain = {
  name: "auction",
  mode: "elected",
  abi: JSON.parse(abi.formatJson()) as readonly AbiEntry[],
  checkGroup: ({ members, configuration: { houses = "" } }) => {
    for (const house of houses.split(","))
      if (!members.some((member) => member === house))
        throw new DomainRefusal(
          `The house "${house}" is none of: ${members.join(", ")}.`,
        );
  },
  endorsersOf: ({ members, configuration: { houses = "" } }) =>
    members.filter((member) => houses.split(",").includes(member)),
  check: ({ signature, args }) => {
    const type = signature.slice(0, signature.indexOf("("));
    const intent = intentType.safeParse({ ...args, type }).data;
    if (intent === undefined)
      throw new DomainRefusal(`It cannot take ${JSON.stringify(args)}.`);
    const touches = "lot" in intent ? [intent.lot] : [];
    return { payload: JSON.stringify(intent), touches };
  },
  assemble: ({ id, sender, payload }, view) => {
    const intent = readIntent(payload);
    const lot = intent && "lot" in intent ? intent.lot : "";
    const bids = intent?.type === "close" ? view.find("bid", lot) : [];
    const spent = [...view.find("lot", lot), ...bids];
    const outputs = outcomeOf(payload, { id, sender, spent });
    const inputs = spent.map((state) => state.id);
    return typeof outputs === "string"
      ? { type: "reverted", reason: outputs }
      : { type: "assembled", inputs, reads: [], outputs };
  },
  endorse: ({ intentId: id, sender, payload, inputs, outputs, ...rest }) => {
    if (rest.reads.length + rest.infos.length + rest.calls.length > 0)
      return "An auction only spends and creates.";
    const wanted = outcomeOf(payload, { id, sender, spent: inputs });
    if (typeof wanted === "string") return wanted;
    const isSame = textOf(outputs) === textOf(wanted);
    return isSame ? undefined : "It creates something else.";
  },
  query: ({ args: { lot } }, view) => {
    const [result] = view.find("result", String(lot));
    if (result === undefined)
      throw new DomainRefusal(`The lot ${String(lot)} is not closed.`);
    return resultType.parse(result.data);
  },
  isEntitled: (_, { schema, data }, node) => {
    const bid = bidType.safeParse(data).data;
    return schema !== "bid" || node === bid?.bidder || node === bid?.seller;
  },
  isRetryable: () => true,
};

/** What becomes of the states that an intent spends, or why that cannot be. Senders and endorsers ask the same function. */
function outcomeOf(
  payload: string,
  step: { id: string; sender: string; spent: readonly DomainState[] },
): readonly NewState[] | string {
  const intent = readIntent(payload);
  const { id, sender, spent } = step;
  const [lot, ...bids] = spent;
  if (intent === undefined) return "The intent makes no sense.";
  if (intent.type === "open")
    return lot === undefined
      ? [{ schema: "lot", label: id, data: { seller: sender, bids: 0 } }]
      : "Who opens a lot spends nothing.";
  const { lot: label } = intent;
  if (spent.some((state) => state.label !== label) || lot?.schema !== "lot")
    return `There is no open lot ${label}.`;
  const { seller, bids: number } = lotType.parse(lot.data);
  if (intent.type === "bid") {
    if (sender === seller) return "A seller does not bid.";
    if (bids.length > 0) return "Who bids spends the lot alone.";
    if (number === BIDS_MAX) return `There are ${number} bids already.`;
    const bid = { number, bidder: sender, seller, amount: intent.amount };
    return [
      { schema: "lot", label, data: { seller, bids: number + 1 } },
      { schema: "bid", label, data: bid },
    ];
  }
  if (sender !== seller) return `Only ${seller} closes the lot.`;
  if (bids.length !== number) return "It does not spend all bids.";
  const [best] = bids
    .map(({ data }) => bidType.parse(data))
    .sort(
      (a, b) =>
        Number(BigInt(b.amount) - BigInt(a.amount)) || a.number - b.number,
    );
  const result = { winner: best?.bidder ?? "", price: best?.amount ?? "0" };
  return [{ schema: "result", label, data: result }];
}

/** Payloads come from other organisations, too. */
function readIntent(payload: string): z.infer<typeof intentType> | undefined {
  try {
    return intentType.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

function textOf(states: readonly NewState[]): string {
  return JSON.stringify(
    states.map(({ schema, label, data }) => [schema, label, data]),
  );
}
