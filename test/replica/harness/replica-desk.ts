import type { Receipt, Wish } from "../../torture/harness/evidence/evidence.ts";
import { Desk, type Reply } from "../../torture/harness/clients/desk.ts";
import type { TokenGroup } from "../../torture/harness/clients/group.ts";

/** A user does not wait for a replica that is frozen or cut off. */
const TIMEOUT_MS = 2_000;

/** How clients talk to a node with replicas: at one address after the other, until one of them answers. */
export class ReplicaDesk implements Pick<Desk, "wish" | "receipt"> {
  readonly #desks: readonly Desk[];
  #current = 0;

  constructor(options: {
    readonly urls: readonly string[];
    readonly group: TokenGroup;
  }) {
    const { urls, group } = options;
    this.#desks = urls.map(
      (url) => new Desk({ url, group, timeoutMs: TIMEOUT_MS }),
    );
  }

  async wish(wish: Wish): Promise<Reply> {
    const reply = await this.#desk().wish(wish);
    if (reply.type !== "accepted") this.#current += 1;
    return reply;
  }

  async receipt(id: string): Promise<Receipt | undefined> {
    try {
      return await this.#desk().receipt(id);
    } catch (error) {
      this.#current += 1;
      throw error;
    }
  }

  #desk(): Desk {
    const desk = this.#desks[this.#current % this.#desks.length];
    if (desk === undefined) throw new Error("The node has no replicas.");
    return desk;
  }
}
