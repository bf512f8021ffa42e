import type { ChainClient } from "../../../chain/ports.ts";
import type { NodeName } from "../../../protocol/ids.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import { violation } from "../../violation.ts";
import type { SimulatedHost } from "../host.ts";
import { checkSent } from "./check-sent.ts";
import type { DurableFacts } from "./durable-facts.ts";
import { HeardEnvelopes } from "./heard-envelopes.ts";
import { SubmittedTransactions } from "./submitted.ts";

interface WatchPorts {
  readonly ledger: SimulatedLedger;
  /** Nothing is expected of members that lie. */
  readonly isHonest: (name: NodeName) => boolean;
  readonly fail: (error: unknown) => void;
}

/** Checks what honest nodes say, hear and submit, at the moment when they do. */
export class Watch {
  readonly #ports: WatchPorts;
  readonly #submitted: SubmittedTransactions;
  readonly #heard = new Map<NodeName, HeardEnvelopes>();

  constructor(ports: WatchPorts) {
    this.#ports = ports;
    this.#submitted = new SubmittedTransactions(ports);
  }

  /** A node starts: gets the envelopes whose content it uses. */
  listener(name: NodeName): (wire: Uint8Array) => void {
    const heard = this.#heard.get(name) ?? new HeardEnvelopes();
    this.#heard.set(name, heard);
    const see = heard.start();
    return (wire) => {
      this.#check(name, () => {
        see(wire);
      });
    };
  }

  /** A node sends an envelope. */
  sends(
    { from, to }: { readonly from: NodeName; readonly to: NodeName },
    wire: Uint8Array,
    durable: DurableFacts,
  ): void {
    this.#check(from, () => {
      checkSent(durable, to, wire);
    });
  }

  /** A node answers a user who wants something of it. */
  answers(
    { name, durable }: Pick<SimulatedHost, "name" | "durable">,
    answer: string,
  ): void {
    const { result: id } = JSON.parse(answer) as { readonly result?: unknown };
    if (typeof id !== "string" || durable === undefined) return;
    this.#check(name, () => {
      if (!durable.has("user-transaction", id))
        throw violation("S12", id, "is accepted before it is durable");
    });
  }

  /** The way of a node to the chain. */
  clientOf(
    name: NodeName,
    client: ChainClient,
    durable: DurableFacts,
  ): ChainClient {
    return {
      ...client,
      request: async (method, params) => {
        const [raw] = params;
        if (method === "eth_sendRawTransaction" && typeof raw === "string")
          this.#check(name, () => {
            this.#submitted.see(name, raw, durable);
          });
        return await client.request(method, params);
      },
    };
  }

  /** The disk of a node is lost, or an old one. */
  lost(name: NodeName): void {
    this.#submitted.forget(name);
  }

  #check(name: NodeName, check: () => void): void {
    if (!this.#ports.isHonest(name)) return;
    try {
      check();
    } catch (error) {
      this.#ports.fail(error);
    }
  }
}
