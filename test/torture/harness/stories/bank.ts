import { Desk } from "../clients/desk.ts";
import { POT, SHOPS } from "../clients/client.ts";
import type { TokenGroup } from "../clients/group.ts";
import type { Answer, Receipt, Wish } from "../evidence/evidence.ts";
import { until } from "../processes/until.ts";

/** A transfer that a node has accepted. */
export interface Transfer {
  readonly wish: Wish;
  readonly id: string;
}

/** Only what is stuck takes so long, also on a machine that has much else to do. */
const DEADLINE_MS = 240_000;

/** Makes transfers, one by one, and knows what must come of them. */
export class Bank {
  readonly answers: Answer[] = [];
  readonly #desks: ReadonlyMap<string, Desk>;
  readonly #confirmed = new Map<string, Wish>();

  constructor(ports: {
    readonly nodes: Iterable<{ readonly name: string; readonly url: string }>;
    readonly group: TokenGroup;
  }) {
    const { group } = ports;
    this.#desks = new Map(
      [...ports.nodes].map(({ name, url }) => [name, new Desk({ url, group })]),
    );
  }

  /** So much that it never runs out. */
  async mint(node: string): Promise<void> {
    const call = { function: "mint", from: undefined, to: POT } as const;
    const wish = { key: "mint", node, ...call, amount: 1_000 };
    await this.confirmed([await this.#accepted(wish)]);
  }

  /** Resolves when a node has taken a new transfer. Who gets no answer asks again with the same key. */
  async transfer(node: string): Promise<Transfer> {
    return await this.#accepted({
      key: `story-${this.answers.length}`,
      node,
      function: "transfer",
      from: POT,
      to: SHOPS[this.#confirmed.size % SHOPS.length] ?? POT,
      amount: 1,
    });
  }

  /** Resolves when all are confirmed. Nothing may fail. */
  async confirmed(transfers: readonly Transfer[]): Promise<void> {
    for (const { isSuccess, failure } of await this.ended(transfers))
      if (!isSuccess) throw new Error(`A transfer failed: ${failure ?? "?"}`);
  }

  /** Resolves when all have ended, well or not. */
  async ended(transfers: readonly Transfer[]): Promise<readonly Receipt[]> {
    return await Promise.all(
      transfers.map(async ({ wish, id }) => {
        const receipt = await until(
          { what: `${wish.key} of ${wish.node} ends`, deadlineMs: DEADLINE_MS },
          () => this.#desk(wish.node).receipt(id),
        );
        this.#say(wish, { type: "receipt", receipt });
        if (receipt.isSuccess) this.#confirmed.set(wish.key, wish);
        return receipt;
      }),
    );
  }

  /** What a node says of a transfer now. */
  async receipt({ wish, id }: Transfer): Promise<Receipt | undefined> {
    return await this.#desk(wish.node).receipt(id);
  }

  /** Resolves when these nodes have the balances that all confirmed transfers come to. */
  async agreed(nodes: readonly string[]): Promise<void> {
    const expected = this.#balances();
    for (const node of nodes)
      await until(
        { what: `${node} has ${expected}`, deadlineMs: DEADLINE_MS },
        async () => {
          const desk = this.#desk(node);
          const found: number[] = [];
          for (const account of [POT, ...SHOPS])
            found.push(await desk.balanceOf(account));
          return found.join(" ") === expected || undefined;
        },
      );
  }

  /** Transfers, and what was minted. */
  get count(): number {
    return this.#confirmed.size;
  }

  #balances(): string {
    const balances = new Map<string, number>();
    for (const { from, to, amount } of this.#confirmed.values()) {
      if (from !== undefined)
        balances.set(from, (balances.get(from) ?? 0) - amount);
      balances.set(to, (balances.get(to) ?? 0) + amount);
    }
    return [POT, ...SHOPS].map((one) => balances.get(one) ?? 0).join(" ");
  }

  async #accepted(wish: Wish): Promise<Transfer> {
    this.#say(wish, { type: "wished", wish });
    const what = `${wish.node} accepts ${wish.key}`;
    return await until({ what, deadlineMs: DEADLINE_MS }, async () => {
      const reply = await this.#desk(wish.node).wish(wish);
      this.#say(wish, reply);
      return reply.type === "accepted" ? { wish, id: reply.id } : undefined;
    });
  }

  #desk(node: string): Desk {
    const desk = this.#desks.get(node);
    if (desk === undefined) throw new Error(`There is no node ${node}.`);
    return desk;
  }

  #say(
    { key, node }: Wish,
    what:
      | { readonly type: "wished"; readonly wish: Wish }
      | { readonly type: "receipt"; readonly receipt: Receipt }
      | Awaited<ReturnType<Desk["wish"]>>,
  ): void {
    this.answers.push({ atMs: Date.now(), key, node, ...what });
  }
}
