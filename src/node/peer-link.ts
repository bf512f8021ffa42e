import type { NodeName } from "../protocol/ids.ts";
import type { SealedTransport } from "../network/sealed-transport.ts";
import type { Body } from "./body.ts";
import { Outbox } from "./outbox.ts";
import type { NodePorts } from "./ports.ts";

/** The connection of a node with its peers, while it is open. */
export class PeerLink {
  readonly #connect: NodePorts["connect"];
  readonly #outbox = new Outbox({
    send: (to, bodies) => this.#transport?.send(to, bodies),
  });
  #transport: SealedTransport | undefined;

  constructor(ports: Pick<NodePorts, "connect">) {
    this.#connect = ports.connect;
  }

  open(...listeners: Parameters<NodePorts["connect"]>): void {
    this.#transport = this.#connect(...listeners);
  }

  readonly send = (to: NodeName, body: Body): void => {
    this.#outbox.put(to, body);
  };

  /** Envelopes that were dropped, by reason. */
  dropped(): Readonly<Record<string, number>> {
    return this.#transport?.dropped() ?? {};
  }

  async stop(): Promise<void> {
    await this.#transport?.stop();
  }
}
