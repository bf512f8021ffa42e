import type { NodeName } from "../../protocol/ids.ts";
import type { State } from "../../protocol/transition.ts";
import { idsOf } from "../../protocol/turn.ts";
import { isSecret } from "../coins.ts";
import { assemble, endorse, revertsOnLedger } from "../domain.ts";
import { Random } from "../random.ts";
import {
  drawCoinIntent,
  drawGenesis,
  drawWorkload,
  makeUpCoin,
} from "../workload.ts";
import { CoinBook } from "./coin-book.ts";
import type { DomainKind } from "./domain.ts";

/** The simulator's own token: as simple as a domain can be that has something to contend for, and fast. */
export const coinDomain: DomainKind = ({ seed, members, committee }) => {
  const books = new Map<NodeName, CoinBook>();
  const mayKnow = (_: NodeName, state: State): boolean => !isSecret(state);
  const bookOf = (node: NodeName): CoinBook => {
    const known = books.get(node);
    if (known !== undefined) return known;
    const isEndorser = committee.includes(node);
    const book = new CoinBook({
      mayKnow: (state) => isEndorser || mayKnow(node, state),
    });
    books.set(node, book);
    return book;
  };
  return {
    rules: { mayKnow },
    concerns: mayKnow,
    suspects: committee,
    outsiders: members.filter((name) => !committee.includes(name)),
    draw: (options) => {
      const random = new Random(seed, "workload");
      const genesis = drawGenesis(random).map(({ state }) => state);
      return { genesis, wishes: drawWorkload(options, random, drawCoinIntent) };
    },
    bookOf,
    assemble: (request) => {
      const holdings = bookOf(request.sender);
      const outcomes = assemble({ ...request, holdings });
      const hopeless = request.intents.filter((intent) =>
        revertsOnLedger(intent, holdings),
      );
      return { outcomes, hopeless: new Set(idsOf(hopeless)) };
    },
    endorse: (request) =>
      endorse({ ...request, holdings: bookOf(request.endorser) }),
    makeUp: { payload: () => "pay a b 1", state: makeUpCoin },
  };
};
