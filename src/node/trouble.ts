import type { Address } from "../ledger/index.ts";
import { ChainMoved } from "../chain/worker.ts";
import { ChainError } from "../chain/ports.ts";
import { troubleOf } from "./named-requests.ts";
import type { NodeFact } from "./ports.ts";

/**
 * Attempts of a payer in a row that do not reach the chain, after which they are told although the node follows the chain.
 * They take at least six seconds: if the chain is away, the indexer has told it by then.
 */
const UNREACHED_MAX = 8;

/** What was told of a payer. */
interface PayerTrouble {
  readonly tell: (error: Error | undefined) => void;
  unreached: number;
}

/** Tells the trouble that a node has with the chain and its payers once, and not for every attempt. */
export class Troubles {
  readonly #onFact: (fact: NodeFact) => void;
  readonly #payers = new Map<Address, PayerTrouble>();
  #isChainAway = false;

  constructor(onFact: (fact: NodeFact) => void) {
    this.#onFact = onFact;
  }

  /** The chain is in the way of the indexer; undefined when it is no more. */
  readonly seeChain = tellOnce((reason) => {
    this.#isChainAway = reason !== undefined;
    this.#onFact({ type: "ChainTrouble", reason });
  });

  /** Something is in the way of a payer; undefined when it is no more. A chain that is away is not the payer's trouble. */
  seePayer(payer: Address, error: Error | undefined): void {
    const known = this.#payers.get(payer) ?? {
      tell: tellOnce((reason) => {
        this.#onFact({ type: "PayerTrouble", payer, reason });
      }),
      unreached: 0,
    };
    if (error === undefined) this.#payers.delete(payer);
    else this.#payers.set(payer, known);
    const isUnreached = isChainAway(error);
    known.unreached =
      isUnreached && !this.#isChainAway ? known.unreached + 1 : 0;
    if (isUnreached && known.unreached < UNREACHED_MAX) return;
    known.tell(error);
  }
}

/** Tells trouble when it comes, when it becomes trouble of another kind, and when it is over: not for every attempt. */
function tellOnce(
  tell: (reason: string | undefined) => void,
): (error: Error | undefined) => void {
  let told: string | undefined;
  return (error) => {
    const kind = error && kindOf(error);
    if (kind === told) return;
    told = kind;
    tell(error && troubleOf(error));
  };
}

/** A chain may be unreachable in many ways at once. Numbers change from attempt to attempt. */
function kindOf(error: Error): string {
  if (error instanceof ChainError && error.kind === "unreachable")
    return error.kind;
  return `${error.name}: ${error.message.replaceAll(/0x[0-9a-f]+|\d+/gi, "#")}`;
}

function isChainAway(error: Error | undefined): boolean {
  return (
    error instanceof ChainMoved ||
    (error instanceof ChainError && error.kind === "unreachable")
  );
}
