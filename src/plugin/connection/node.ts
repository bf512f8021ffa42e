import type { Member } from "../../cluster/member.ts";
import { requireCount } from "./options.ts";
import { asUserError, asUserErrorNow } from "./refusals.ts";
import { Requests } from "./requests.ts";
import type { Sabotage } from "./sabotage.ts";
import type { ClusterNode, ClusterNodeStatus } from "./types.ts";

interface MemberNodePorts {
  readonly member: Member;
  readonly sabotage: Sabotage;
  /** Why it stopped by itself. */
  readonly failure: () => Error | undefined;
  /** Throws when the cluster has stopped: nothing of it may run any more. */
  readonly requireRunning: () => void;
}

/** A node and what can be done to it. */
export class MemberNode implements ClusterNode {
  readonly name: string;
  readonly address: string;
  readonly #ports: MemberNodePorts;
  readonly #member: Member;
  readonly #requests: Requests;
  #isHeld = false;

  constructor(options: { readonly address: string }, ports: MemberNodePorts) {
    this.name = ports.member.name;
    this.address = options.address;
    this.#ports = ports;
    this.#member = ports.member;
    this.#requests = new Requests(ports.member.host);
  }

  get isUp(): boolean {
    return this.#member.isUp;
  }

  get isHeld(): boolean {
    return this.isUp && this.#isHeld;
  }

  get height(): number {
    return asUserErrorNow(() => this.#member.node.height());
  }

  status(): ClusterNodeStatus {
    if (this.isUp) return { isUp: true, ...this.#member.node.status() };
    const failure = this.#ports.failure()?.message;
    return { isUp: false, name: this.name, failure };
  }

  /** Whether it can be expected to have seen a block, and has, with all that belongs to it. */
  isBehind(height: number): boolean {
    if (!this.isUp || this.#isHeld) return false;
    const { node } = this.#member;
    return (
      node.height() < height ||
      node.status().groups.some(({ missingStates }) => missingStates > 0)
    );
  }

  async request({
    method,
    params = [],
  }: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown> {
    this.#ports.requireRunning();
    return await asUserError(
      async () => await this.#requests.ask(method, params),
    );
  }

  async crash(): Promise<void> {
    this.#isHeld = false;
    await this.#member.crash();
  }

  async restart(): Promise<void> {
    await this.crash();
    this.#ports.requireRunning();
    this.start();
  }

  /** Starts it on the disk that it has. */
  start(): void {
    asUserErrorNow(() => {
      this.#member.start();
    });
  }

  async holdBlocks(): Promise<void> {
    await asUserError(async () => {
      const { node } = this.#member;
      this.#isHeld = true;
      await node.holdBlocks();
    });
  }

  releaseBlocks(): void {
    asUserErrorNow(() => {
      this.#member.node.releaseBlocks();
      this.#isHeld = false;
    });
  }

  revertNext(count = 1): void {
    this.#ports.sabotage.add(requireCount("revertNext()", count), this.name);
  }
}
