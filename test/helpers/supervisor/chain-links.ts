import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";

const BLOCK_MS = 100;

/** A chain that makes blocks, and a way to it for each replica, which can be cut. */
export class ChainLinks {
  readonly #servers = new Map<string, Server>();
  readonly #cut = new Set<string>();
  #height = 100;
  #isStanding = false;
  readonly #blocks = setInterval(() => {
    if (!this.#isStanding) this.#height += 1;
  }, BLOCK_MS);

  get height(): number {
    return this.#height;
  }

  /** The address of a new way to the chain. */
  async open(name: string): Promise<string> {
    const server = createServer((request, response) => {
      if (this.#cut.has(name)) {
        request.socket.destroy();
        return;
      }
      void text(request).then((body) => {
        const { method } = JSON.parse(body) as { readonly method: string };
        const result =
          method === "eth_blockNumber"
            ? `0x${this.#height.toString(16)}`
            : "0x1";
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#servers.set(name, server);
    const address = server.address();
    if (address === null || typeof address === "string")
      throw new Error("There is no port.");
    return `http://127.0.0.1:${address.port}`;
  }

  cut(...names: readonly string[]): void {
    for (const name of names) {
      this.#cut.add(name);
      this.#servers.get(name)?.closeAllConnections();
    }
  }

  mend(...names: readonly string[]): void {
    for (const name of names) this.#cut.delete(name);
  }

  /** No block is made any more, or some are again. */
  standStill(isStanding: boolean): void {
    this.#isStanding = isStanding;
  }

  stop(): void {
    clearInterval(this.#blocks);
    for (const server of this.#servers.values()) {
      server.close();
      server.closeAllConnections();
    }
  }
}
