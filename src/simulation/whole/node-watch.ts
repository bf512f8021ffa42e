import type { UserBook } from "../../api/book.ts";
import type { EventMoment } from "../../node/driver.ts";
import type { NodeEvent } from "../../node/node-events.ts";
import type { NodeName } from "../../protocol/ids.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import { violation } from "../violation.ts";
import { Backlog } from "./backlog.ts";

/** A node lets others have their turn at least so often, whatever waits: timers, requests of users, peers. */
const HELD_MS_MAX = 50;

interface NodeWatchPorts {
  readonly ledger: SimulatedLedger;
  /** What the node has on its disk, while it is up. */
  readonly book: () => UserBook | undefined;
  /** Gets what a check throws. */
  readonly fail: (error: unknown) => void;
}

/** Looks at every event of a node that does not lie: how much waits, for how long, and what is taken back. */
export class NodeWatch {
  readonly #name: NodeName;
  readonly #ports: NodeWatchPorts;
  #backlog: Backlog;

  constructor(name: NodeName, ports: NodeWatchPorts) {
    this.#name = name;
    this.#ports = ports;
    this.#backlog = new Backlog(name);
  }

  /** The node starts, and nothing waits. */
  start(): void {
    this.#backlog = new Backlog(this.#name);
  }

  see(event: NodeEvent, moment: EventMoment): void {
    this.#guarded(() => {
      this.#backlog.see(event, moment);
      if (event.type === "chain-reverted" && moment === "stepped")
        this.#checkTakenBack(event.height);
    });
  }

  /** L22: a node that has much to do does not keep everything else waiting. */
  held(ms: number): void {
    if (ms <= HELD_MS_MAX) return;
    this.#guarded(() => {
      throw violation(
        "L22",
        this.#name,
        `has let nothing else happen for ${ms.toFixed(0)} ms`,
      );
    });
  }

  /** S34: that an answer of the chain is late takes no block back. */
  #checkTakenBack(height: number): void {
    const { ledger, book } = this.#ports;
    const rows = book()?.database.all(
      "SELECT number, hash FROM blocks WHERE number > ? ORDER BY number DESC",
      height,
    );
    for (const { number, hash } of rows ?? []) {
      const block = ledger.tree.byHash(String(hash));
      if (block === undefined || !ledger.tree.isBelow(block, ledger.head))
        continue;
      throw violation(
        "S34",
        this.#name,
        `takes block ${String(number)} back, which is still on the chain, with all above ${height}`,
      );
    }
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#ports.fail(error);
    }
  }
}
