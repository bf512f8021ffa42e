import type { GroupAddress, IntentId } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/runtime/cluster/cluster.ts";
import type { Member, SendOptions } from "../../src/runtime/cluster/member.ts";

/** Intents of one node that are open at a time: as many as a coordinator takes of one sender. */
export const OPEN_PER_NODE = 1_000;

const POT = "pot";

/** A group whose members all spend one pot: every intent spends what the one before created, and nothing else. */
export class Pot {
  readonly #cluster: Cluster;
  readonly #group: GroupAddress;
  #content = 0;

  constructor(cluster: Cluster, group: GroupAddress) {
    this.#cluster = cluster;
    this.#group = group;
  }

  get group(): GroupAddress {
    return this.#group;
  }

  /** Puts so much into it that this many intents leave something. */
  async fill(intents: number): Promise<void> {
    const [member] = this.#cluster.members;
    if (member === undefined) throw new Error("There are no nodes.");
    // Two coins would be two chains of states.
    if (this.#content > 0) await this.#confirm(member, take(this.#content));
    this.#content = intents + 1;
    await this.#confirm(member, {
      function: "mint(string,uint256)",
      args: { to: POT, amount: String(this.#content) },
    });
  }

  /** Intents of all nodes in turn, as fast as they take them. Resolves when every node has seen all of them happen. */
  async spend(intents: number): Promise<void> {
    const { members } = this.#cluster;
    this.#content -= intents;
    const blocks = await Promise.all(
      members.map(async (member, at) => {
        const count = Math.floor(
          (intents + members.length - 1 - at) / members.length,
        );
        return await this.#spendAt(member, count);
      }),
    );
    await this.untilSeen(Math.max(...blocks));
  }

  /** One intent. Resolves when it is on the node's disk. */
  async send(member: Member): Promise<IntentId> {
    return await member.send({ group: this.#group, ...take(1) });
  }

  /** Resolves when every node has seen this block. */
  async untilSeen(block: number): Promise<void> {
    for (const { node } of this.#cluster.members)
      while (node.height() < block)
        await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Throws unless every node thinks that the pot holds what it should. */
  async check(): Promise<void> {
    for (const { name, node } of this.#cluster.members) {
      const { balance } = await node.query(this.#group, {
        from: name,
        signature: "balanceOf(string)",
        args: { account: POT },
      });
      if (balance !== String(this.#content))
        throw new Error(
          `${name} thinks that the pot holds ${JSON.stringify(balance)}, not ${this.#content}.`,
        );
    }
  }

  /** The last block in which one of them happened. */
  async #spendAt(member: Member, intents: number): Promise<number> {
    let left = intents;
    let last = 0;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        last = Math.max(last, await this.#confirm(member, take(1)));
      }
    };
    const workers = Math.min(intents, OPEN_PER_NODE);
    await Promise.all(Array.from({ length: workers }, work));
    return last;
  }

  async #confirm(member: Member, call: Call): Promise<number> {
    const id = await member.send({ group: this.#group, ...call });
    const receipt = await member.receipt(this.#group, id);
    if (receipt.type !== "Confirmed")
      throw new Error(`Not confirmed: ${JSON.stringify(receipt)}.`);
    return receipt.block;
  }
}

type Call = Pick<SendOptions, "function" | "args">;

/** One coin in, the rest of it out. */
function take(amount: number): Call {
  return {
    function: "burn(string,uint256)",
    args: { from: POT, amount: String(amount) },
  };
}
