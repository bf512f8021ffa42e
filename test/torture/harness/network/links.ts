import { type Hindrance, Proxy } from "./proxy.ts";

/** A connection that one node dials to another. */
interface Link {
  readonly from: string;
  readonly to: string;
}

/** The network between nodes: one proxy for each node and each peer that it dials. */
export class Links {
  readonly #proxies = new Map<string, Proxy>();
  readonly #names: readonly string[];

  /** `portOf` is where a node really listens. */
  constructor(
    options: { readonly names: readonly string[] },
    ports: { readonly portOf: (name: string) => number },
  ) {
    this.#names = options.names;
    for (const link of this.#pairs())
      this.#proxies.set(
        keyOf(link),
        new Proxy({ target: () => ports.portOf(link.to) }),
      );
  }

  async start(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((one) => one.start()));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((one) => one.stop()));
  }

  /** Where a node finds another one. */
  portFor(link: Link): number {
    return this.#proxy(link).port;
  }

  /** Nodes reach only those of their own side. What comes back heals it. */
  partition(sides: readonly (readonly string[])[]): () => void {
    const sideOf = (name: string): number =>
      sides.findIndex((side) => side.includes(name));
    return this.#impose(
      this.#pairs()
        .filter(({ from, to }) => sideOf(from) !== sideOf(to))
        .map((link) => [link, { type: "cut" }]),
    );
  }

  /** Nothing that one node says reaches the other one, whoever of them has dialled. What the other one says does. */
  mute(link: Link): () => void {
    const back = { from: link.to, to: link.from };
    return this.#impose([
      [link, { type: "hold", direction: "forth" }],
      [back, { type: "hold", direction: "back" }],
    ]);
  }

  /** All that goes to and from a node takes its time. */
  slow(
    name: string,
    pace: { readonly delayMs: number; readonly bytesPerSecond: number },
  ): () => void {
    return this.#impose(
      this.#pairs()
        .filter(({ from, to }) => from === name || to === name)
        .map((link) => [link, { type: "slow", ...pace }]),
    );
  }

  #impose(hindrances: readonly (readonly [Link, Hindrance])[]): () => void {
    const heals = hindrances.map(([link, hindrance]) =>
      this.#proxy(link).impose(hindrance),
    );
    return () => {
      for (const heal of heals) heal();
    };
  }

  #proxy(link: Link): Proxy {
    const proxy = this.#proxies.get(keyOf(link));
    if (proxy === undefined)
      throw new Error(`${link.from} has no link to ${link.to}.`);
    return proxy;
  }

  #pairs(): readonly Link[] {
    return this.#names.flatMap((from) =>
      this.#names.filter((to) => to !== from).map((to) => ({ from, to })),
    );
  }
}

function keyOf({ from, to }: Link): string {
  return `${from} ${to}`;
}
