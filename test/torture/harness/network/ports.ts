import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Systems give outgoing connections ports above this. A node that is down for a while would find its own one taken, so that
 * it gets one from below.
 */
const BELOW = 32_000;
const ABOVE = 20_000;

/** Ports that nobody listens on, in rows of so many next to each other: a node takes the next one for WebSockets. */
export class PortFinder {
  #next = ABOVE + (process.pid % (BELOW - ABOVE));

  async find(row = 1): Promise<number> {
    for (let tries = 0; tries < BELOW - ABOVE; tries += 1) {
      const first = this.#next;
      this.#next = first + row < BELOW ? first + row : ABOVE;
      const ports = Array.from({ length: row }, (_, index) => first + index);
      const found = await Promise.all(ports.map(isFree));
      if (found.every(Boolean)) return first;
    }
    throw new Error("There are no free ports.");
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}
