import type { GroupAddress, IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Member, SendOptions } from "../../src/cluster/member.ts";

/** Intents of one node that are open at a time: as many as a coordinator takes of one sender. */
export const OPEN_PER_NODE = 1_000;

/** The same where nodes are only to be kept busy: more than is ever in flight, and soon over at the end. */
const BUSY_PER_NODE = 250;

const POT = "pot";

/** What an intent does with the pot: one coin in and the rest of it out, or another coin out besides, which stays. */
export type Use = "burn" | "pay";

/** A group whose members all spend one pot: every intent spends what the one before created. */
export class Pot {
  readonly #cluster: Cluster;
  readonly #use: Use;
  readonly group: GroupAddress;
  #content = 0;
  #uses = 0;

  private constructor(cluster: Cluster, group: GroupAddress, use: Use) {
    this.#cluster = cluster;
    this.group = group;
    this.#use = use;
  }

  /** Creates a group of all nodes, a majority of whom must endorse. */
  static async create(cluster: Cluster, use: Use = "burn"): Promise<Pot> {
    const { address } = await cluster.createGroup({ domain: "group-token" });
    return new Pot(cluster, address, use);
  }

  /** Sees to it that this many intents leave something. */
  async fill(intents: number): Promise<void> {
    const [member] = this.#cluster.members;
    if (member === undefined) throw new Error("There are no nodes.");
    for (const call of callsToFill(this.#content, intents))
      await this.#confirm(member, call);
    this.#content = Math.max(this.#content, intents + 1);
  }

  /** One intent. Resolves when it is on the node's disk. */
  async send(member: Member): Promise<IntentId> {
    this.#content -= 1;
    return await member.send({ group: this.group, ...this.#call() });
  }

  /** One intent. Resolves with its block when the node has seen it happen. */
  async spend(member: Member): Promise<number> {
    this.#content -= 1;
    return await this.#confirm(member, this.#call());
  }

  /** Throws unless every node thinks that the pot holds what it should. */
  async check(): Promise<void> {
    for (const member of this.#cluster.members) {
      const held = await contentOf(member, this.group);
      if (held !== String(this.#content))
        throw new Error(
          `${member.name} thinks that the pot holds ${held}, not ${this.#content}.`,
        );
    }
  }

  #call(): Call {
    if (this.#use === "burn") return burn("1");
    const to = `shop${this.#uses++ % 1_000}`;
    return {
      function: "transfer(string,string,uint256)",
      args: { from: POT, to, amount: "1" },
    };
  }

  async #confirm(member: Member, call: Call): Promise<number> {
    const id = await member.send({ group: this.group, ...call });
    const receipt = await member.receipt(this.group, id);
    if (receipt.type !== "Confirmed")
      throw new Error(`Not confirmed: ${JSON.stringify(receipt)}.`);
    return receipt.block;
  }
}

/** Intents of all nodes and pots in turn, as fast as nodes take them. Resolves when every node has seen all of them happen. */
export async function spendAll(
  cluster: Cluster,
  pots: readonly Pot[],
  intents: number,
  openPerNode = OPEN_PER_NODE,
): Promise<void> {
  const { members } = cluster;
  const blocks = await Promise.all(
    members.map(async (member, at) => {
      let next = at;
      let last = 0;
      const work = async (): Promise<void> => {
        while (next < intents) {
          const pot = pots[Math.floor(next / members.length) % pots.length];
          next += members.length;
          if (pot === undefined) throw new Error("There is no pot.");
          last = Math.max(last, await pot.spend(member));
        }
      };
      await Promise.all(Array.from({ length: openPerNode }, work));
      return last;
    }),
  );
  await untilSeen(cluster, Math.max(...blocks));
}

/** Lets all nodes spend for as long as is asked. Gives the number of intents when all are confirmed. */
export async function spendUntil(
  cluster: Cluster,
  pot: Pot,
  isOver: () => boolean,
): Promise<number> {
  let count = 0;
  await Promise.all(
    cluster.members.flatMap((member) =>
      Array.from({ length: BUSY_PER_NODE }, async () => {
        while (!isOver()) {
          count += 1;
          await pot.spend(member);
        }
      }),
    ),
  );
  return count;
}

/** Resolves when every node has seen this block. */
export async function untilSeen(
  { members }: Cluster,
  block: number,
): Promise<void> {
  for (const member of members)
    while (member.isUp && member.node.height() < block)
      await new Promise((resolve) => setTimeout(resolve, 1));
}

/** What a node is asked to do with a pot. */
export type Call = Pick<SendOptions, "function" | "args">;

/** Takes something out of the pot. */
export function burn(amount: string): Call {
  return { function: "burn(string,uint256)", args: { from: POT, amount } };
}

/** What to do to a pot that holds so much, so that this many intents leave something. */
export function callsToFill(content: number, intents: number): readonly Call[] {
  if (content > intents) return [];
  const mint: Call = {
    function: "mint(string,uint256)",
    args: { to: POT, amount: String(intents + 1) },
  };
  // Two coins would be two chains of states.
  return content > 0 ? [burn(String(content)), mint] : [mint];
}

/** What a node thinks that the pot holds. */
export async function contentOf(
  { name, node }: Pick<Member, "name" | "node">,
  group: GroupAddress,
): Promise<string> {
  const { balance } = await node.query(group, {
    from: name,
    signature: "balanceOf(string)",
    args: { account: POT },
  });
  if (typeof balance !== "string") throw new Error("A balance is no text.");
  return balance;
}
