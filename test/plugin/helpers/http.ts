import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";

/** A server on loopback that answers with JSON. */
export class JsonServer {
  readonly #server: Server;

  constructor(
    answer: (request: { url: URL; body: string }) => Promise<unknown>,
  ) {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      read(request)
        .then(async (body) => await answer({ url, body }))
        .then(
          (result) => response.end(JSON.stringify(result)),
          (error: unknown) => {
            response.statusCode = 500;
            response.end(JSON.stringify({ result: String(error) }));
          },
        );
    });
  }

  /** Starts on a free port and gives the address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) =>
      this.#server.listen(0, "127.0.0.1", resolve),
    );
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Error("The server has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
