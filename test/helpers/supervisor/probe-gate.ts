import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";

/** What stands between a supervisor and the operators' server of a replica: it counts probes, and fails as many as told. */
export class ProbeGate {
  readonly #target: string;
  readonly #server: Server;
  readonly #refused = new Set<string>();
  #onRequest: (method: string) => void = () => undefined;
  #failures = 0;
  #failsNext = false;
  #probes = 0;
  #url = "";
  #looks: (() => void)[] = [];

  private constructor(port: number) {
    this.#target = `http://127.0.0.1:${port}`;
    this.#server = createServer((request, response) => {
      void text(request).then(async (body) => {
        const { method } = JSON.parse(body) as { readonly method: string };
        this.#onRequest(method);
        const isGood = this.#lets(method);
        if (!isGood) {
          request.socket.destroy();
          return;
        }
        const answer = await fetch(this.#target, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            authorization: request.headers.authorization ?? "",
          },
          body,
        }).catch(() => undefined);
        if (answer === undefined) {
          request.socket.destroy();
          return;
        }
        response.statusCode = answer.status;
        response.setHeader("content-type", "application/json");
        response.end(await answer.text());
      });
    });
  }

  /** Opens one in front of a port. */
  static async open(port: number): Promise<ProbeGate> {
    const gate = new ProbeGate(port);
    gate.#server.listen(0, "127.0.0.1");
    await once(gate.#server, "listening");
    const address = gate.#server.address();
    if (address === null || typeof address === "string")
      throw new Error("There is no port.");
    gate.#url = `http://127.0.0.1:${address.port}`;
    return gate;
  }

  get url(): string {
    return this.#url;
  }

  /** Fails so many of the next probes. */
  fail(probes: number): void {
    this.#failures = probes;
  }

  /** Fails this request, or the next one. */
  failOnce(): void {
    this.#failsNext = true;
  }

  /** Lets no request of a method through, or does again. */
  refuse(method: string, isRefused = true): void {
    if (isRefused) this.#refused.add(method);
    else this.#refused.delete(method);
  }

  /** Calls back when a request comes, before anything is done with it. */
  watch(onRequest: (method: string) => void): void {
    this.#onRequest = onRequest;
  }

  /** Resolves after so many more probes. */
  async afterProbes(count: number): Promise<void> {
    const end = this.#probes + count;
    while (this.#probes < end)
      await new Promise<void>((resolve) => {
        this.#looks.push(resolve);
      });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #lets(method: string): boolean {
    if (this.#failsNext) {
      this.#failsNext = false;
      return false;
    }
    if (this.#refused.has(method)) return false;
    if (method !== "sequencer_syncStatus") return true;
    this.#probes += 1;
    for (const look of this.#looks.splice(0)) look();
    if (this.#failures === 0) return true;
    this.#failures -= 1;
    return false;
  }
}
