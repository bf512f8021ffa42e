import { setTimeout } from "node:timers/promises";

import type { GroupAddress } from "../../src/protocol/ids.ts";
import type { Member } from "../../src/cluster/member.ts";
import type { WorkloadRequest } from "./options.ts";

/** Intents of one node that are open at a time: as many as a coordinator takes of one sender. */
const openPerNode = 1_000;

/** How the intents of a workload ended so far. */
export interface WorkloadCounts {
  readonly sent: number;
  readonly confirmed: number;
  readonly reverted: number;
}

/** What a workload needs of the world. */
export interface WorkloadPorts {
  readonly members: readonly Pick<Member, "name" | "send" | "receipt">[];
  readonly group: GroupAddress;
  readonly now: () => number;
  /** Whether no more shall be sent. */
  readonly isOver: () => boolean;
}

/** A sample workload for the domain `group-token`: all nodes move coins of the same accounts. */
export class Workload {
  readonly #request: WorkloadRequest;
  readonly #ports: WorkloadPorts;
  #sent = 0;
  #confirmed = 0;
  #reverted = 0;

  constructor(request: WorkloadRequest, ports: WorkloadPorts) {
    this.#request = request;
    this.#ports = ports;
  }

  get counts(): WorkloadCounts {
    return {
      sent: this.#sent,
      confirmed: this.#confirmed,
      reverted: this.#reverted,
    };
  }

  /** Makes what will be spent, and resolves when the ledger has it. */
  async prepare(): Promise<void> {
    const { intents, accounts } = this.#request;
    const amount = Math.ceil(intents / accounts).toString();
    const { group } = this.#ports;
    await Promise.all(
      range(accounts).map(async (i) => {
        const member = this.#memberFor(i);
        const id = await member.send({
          group,
          function: "mint(string,uint256)",
          args: { to: accountName(i), amount },
        });
        await member.receipt(group, id);
      }),
    );
  }

  /** Sends everything, and resolves when all has ended. */
  async run(): Promise<void> {
    const { now, isOver, members } = this.#ports;
    const { intents, rate } = this.#request;
    const open = new Set<Promise<void>>();
    const startedMs = now();
    for (let i = 0; i < intents && !isOver(); i += 1) {
      const dueMs = rate === undefined ? 0 : startedMs + (1_000 * i) / rate;
      if (dueMs > now()) await setTimeout(dueMs - now());
      if (isOver()) break;
      const transfer: Promise<void> = this.#transfer(i).finally(() =>
        open.delete(transfer),
      );
      open.add(transfer);
      if (open.size >= openPerNode * members.length) await Promise.race(open);
    }
    await Promise.all(open);
  }

  async #transfer(i: number): Promise<void> {
    const { group } = this.#ports;
    const { accounts } = this.#request;
    const member = this.#memberFor(i);
    const id = await member.send({
      group,
      function: "transfer(string,string,uint256)",
      args: {
        from: accountName(i % accounts),
        to: `${member.name}-spent`,
        amount: "1",
      },
    });
    this.#sent += 1;
    const { type } = await member.receipt(group, id);
    if (type === "Confirmed") this.#confirmed += 1;
    else this.#reverted += 1;
  }

  #memberFor(i: number): WorkloadPorts["members"][number] {
    const { members } = this.#ports;
    const member = members[i % members.length];
    if (member === undefined) throw new Error("There are no nodes.");
    return member;
  }
}

function accountName(i: number): string {
  return `pot-${i}`;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
