import type { NodeName } from "../../../protocol/ids.ts";
import { parseHex } from "../../../ledger/index.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import type { ChainTransaction } from "../../chain-rpc/transaction.ts";
import { violation } from "../../violation.ts";
import { executedBy } from "../adversary/submissions.ts";
import type { DurableFacts } from "./durable-facts.ts";

/** Transactions that do the same, by their hashes. */
type Sent = Map<string, ChainTransaction>;

/** What the nodes submit: S19, it is on their disks; S53, no dispatch has two nonces that may both be mined. */
export class SubmittedTransactions {
  readonly #ledger: SimulatedLedger;
  /** Nodes that lost their disks. What they sent before may keep a nonce from being used, and they send the same with another one. */
  readonly #forgetful = new Set<NodeName>();
  /** The dispatches of each node, by what they do. */
  readonly #sent = new Map<NodeName, Map<string, Sent>>();

  constructor(ports: { readonly ledger: SimulatedLedger }) {
    this.#ledger = ports.ledger;
  }

  /** A node is about to send a transaction. */
  see(node: NodeName, raw: string, durable: DurableFacts): void {
    const ledger = this.#ledger;
    const transaction = ledger.decode(parseHex(raw));
    const { hash, nonce, to, data } = transaction;
    if (!durable.has("submission", hash))
      throw violation("S19", hash, `is sent by ${node} before it is durable`);
    if (this.#forgetful.has(node) || executedBy(ledger, raw) === undefined)
      return;
    const ofNode = this.#sent.get(node) ?? new Map<string, Sent>();
    this.#sent.set(node, ofNode);
    const content = `${to ?? ""} ${data}`;
    const same: Sent = ofNode.get(content) ?? new Map();
    ofNode.set(content, same);
    same.set(hash, transaction);
    for (const other of same.values())
      if (other.nonce !== nonce && this.#mayBeMined(other))
        throw violation(
          "S53",
          hash,
          `is sent by ${node} with nonce ${nonce}, and ${other.hash} with nonce ${other.nonce} does the same`,
        );
  }

  /** A node lost its disk, and does not know what it sent. */
  forget(node: NodeName): void {
    this.#sent.delete(node);
    this.#forgetful.add(node);
  }

  #mayBeMined({ from, nonce, hash }: ChainTransaction): boolean {
    const { head } = this.#ledger;
    return (
      this.#ledger.placeOf(hash, head) !== undefined ||
      this.#ledger.accountAt(from, head).nonce <= nonce
    );
  }
}
