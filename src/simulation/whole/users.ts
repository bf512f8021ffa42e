import type { GroupAddress, IntentId, NodeName } from "../../protocol/ids.ts";
import type { UserBook } from "../../runtime/node/ports.ts";
import type { Settlement } from "../../runtime/service.ts";
import type { DrawCall, Trial } from "../domains/trial.ts";
import type { Random } from "../random.ts";
import { violation } from "../violation.ts";
import type { SimulatedHost } from "./host.ts";

/** A group of the run, and what its users do. */
export interface WholeGroup {
  readonly trial: Trial;
  readonly address: GroupAddress;
  readonly members: readonly NodeName[];
  readonly draw: DrawCall;
}

/** What somebody asked a node for. */
interface Asked {
  readonly group: WholeGroup;
  readonly node: NodeName;
  readonly payload: string;
  /** The node said that it is on its disk. */
  isAccepted: boolean;
  outcome: Settlement["outcome"] | undefined;
}

/** The users of all nodes: what they ask for, what they were promised, and what they were told. */
export class WholeUsers {
  readonly asked = new Map<IntentId, Asked>();
  readonly #random: Random;
  readonly #say: (name: NodeName, what: string) => void;

  constructor(ports: {
    readonly random: Random;
    readonly say: (name: NodeName, what: string) => void;
  }) {
    this.#random = ports.random;
    this.#say = ports.say;
  }

  /** Somebody asks a node for something, if it is up. */
  ask(group: WholeGroup, { name, node }: SimulatedHost): void {
    const known = node?.group(group.address);
    if (node === undefined || known === undefined) return;
    const { id, laneSalt } = node.newIntentId(group.address);
    const drawn = group.draw(this.#random, { id, node: name });
    const { mayPark = false, after = [], ...call } = drawn;
    // Nobody would resume it.
    if (mayPark) return;
    const { payload, touches } = known.domain.check({
      ...call,
      group: known,
      node: name,
    });
    const asked: Asked = {
      group,
      node: name,
      payload,
      isAccepted: false,
      outcome: undefined,
    };
    this.asked.set(id, asked);
    const intent = {
      group: group.address,
      id,
      laneSalt,
      payload,
      touches,
      dependsOn: after.filter((one) => this.#isConfirmed(one)),
      isPrepareOnly: false,
    };
    node
      .submit({ intents: [intent], transactions: [] }, () => undefined)
      .then(
        () => {
          asked.isAccepted = true;
          this.#say(name, `accepts ${id} ${payload}`);
        },
        // It may be on the disk all the same: nothing was promised.
        () => undefined,
      );
  }

  /** What one node keeps for its users. */
  bookOf(node: NodeName): UserBook {
    return {
      settle: ({ intentId, outcome }) => {
        const asked = this.asked.get(intentId);
        if (asked === undefined) return;
        if (asked.node !== node)
          throw violation("S14", intentId, `is settled by ${node}`);
        asked.outcome = outcome;
        this.#say(node, `settles ${intentId} ${outcome.type}`);
      },
      unsettle: ({ intentIds }) => {
        for (const id of intentIds) {
          const asked = this.asked.get(id);
          if (asked?.node === node) asked.outcome = undefined;
        }
      },
      settlePublic: () => undefined,
      unsettlePublic: () => undefined,
    };
  }

  /** The disk of a node is gone, and with it all that it promised. */
  release(node: NodeName): void {
    for (const asked of this.asked.values())
      if (asked.node === node) asked.isAccepted = false;
  }

  /** Promised, and without a receipt. */
  open(): readonly (readonly [IntentId, NodeName])[] {
    return [...this.asked].flatMap(([id, { isAccepted, outcome, node }]) =>
      isAccepted && outcome === undefined ? [[id, node] as const] : [],
    );
  }

  count(type: Settlement["outcome"]["type"] | undefined): number {
    return [...this.asked.values()].filter(
      ({ isAccepted, outcome }) => isAccepted && outcome?.type === type,
    ).length;
  }

  #isConfirmed(id: IntentId): boolean {
    return this.asked.get(id)?.outcome?.type === "Confirmed";
  }
}
