import type { KeyObject } from "node:crypto";
import type { SecureContext } from "node:tls";

import type { NodeName } from "../../protocol/ids.ts";
import { Backoff } from "../../chain/backoff.ts";
import type { Timers } from "../../async/timers.ts";
import { envelopeBytesMax } from "../envelope-bytes.ts";
import type { Draw } from "../link-faults.ts";
import type { PeerAddress } from "./address.ts";
import { Alarm } from "./alarm.ts";
import type { EndReason, LossReason, SocketFact } from "./facts.ts";
import type { SocketLimits } from "./limits.ts";
import { Outbound } from "./outbound.ts";
import { WireQueue } from "./queue.ts";
import { countIn, type Counts, type Tally } from "./tally.ts";

interface DiallerOptions {
  readonly peer: NodeName;
  readonly address: PeerAddress;
  readonly key: KeyObject;
  readonly secureContext: SecureContext;
  readonly limits: SocketLimits;
}

interface DiallerPorts {
  readonly timers: Timers;
  readonly draw: Draw;
  readonly onFact: (fact: SocketFact) => void;
}

/** Keeps what waits for one peer, and a connection to it: when one ends, it makes the next after a pause. */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #ports: DiallerPorts;
  readonly #queue: WireQueue;
  readonly #pauses: Backoff;
  readonly #alarm: Alarm;
  readonly #lost: Tally<LossReason> = new Map();
  readonly #ended: Tally<EndReason> = new Map();
  #connection: Outbound | undefined;
  /** Resolves when nothing is left of the last connection. */
  #closed: Promise<void> | undefined;
  #isRunning = false;
  /** Why there is no connection, as it was told last. */
  #told: EndReason | undefined;

  constructor(options: DiallerOptions, ports: DiallerPorts) {
    this.#options = options;
    this.#ports = ports;
    const { limits } = options;
    this.#queue = new WireQueue({
      countMax: limits.queued,
      bytesMax: limits.queuedBytes,
    });
    this.#pauses = new Backoff({
      firstMs: limits.pauseMs.first,
      lastMs: limits.pauseMs.last,
    });
    this.#alarm = new Alarm(ports.timers);
  }

  status(): {
    readonly isConnected: boolean;
    readonly queued: number;
    readonly queuedBytes: number;
    readonly lost: Counts<LossReason>;
    readonly outEnded: Counts<EndReason>;
  } {
    return {
      isConnected: this.#connection?.isOpen === true,
      queued: this.#queue.size,
      queuedBytes: this.#queue.bytes,
      lost: Object.fromEntries(this.#lost),
      outEnded: Object.fromEntries(this.#ended),
    };
  }

  start(): void {
    this.#isRunning = true;
    this.#pauses.reset();
    this.#dial();
  }

  carry(wire: Uint8Array): void {
    // An empty one would be a ping.
    if (wire.length === 0 || wire.length > envelopeBytesMax)
      countIn(this.#lost, "unfit");
    else countIn(this.#lost, "full", this.#queue.add(wire));
    this.#connection?.wake();
  }

  /** What waits is lost. Resolves when nothing is left of the connection. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#alarm.clear();
    while (this.#queue.take() !== undefined) countIn(this.#lost, "stopped");
    this.#connection?.end("stopped");
    await this.#closed;
  }

  #dial(): void {
    let pongs = 0;
    const { peer, ...options } = this.#options;
    const connection = new Outbound(options, {
      timers: this.#ports.timers,
      next: () => this.#queue.take(),
      onCut: () => {
        countIn(this.#lost, "cut");
      },
      onPong: () => {
        pongs += 1;
        if (pongs === 1) this.#connected(peer);
        // Only what lasts counts: two nodes with one key would drive each other out without a pause.
        if (pongs === 2) this.#pauses.reset();
      },
      onEnd: (reason) => {
        this.#end(reason, pongs > 0);
      },
    });
    this.#connection = connection;
    this.#closed = connection.closed;
  }

  #connected(peer: NodeName): void {
    this.#told = undefined;
    this.#ports.onFact({ type: "connected", peer, way: "out" });
  }

  #end(reason: EndReason, wasOpen: boolean): void {
    this.#connection = undefined;
    countIn(this.#ended, reason);
    if (this.#isRunning) {
      // Peers that lost the same node at the same time should not all be back at the same time.
      const jitter = (1 + this.#ports.draw.fraction()) / 2;
      this.#alarm.set(Math.ceil(this.#pauses.next() * jitter), () => {
        this.#dial();
      });
    }
    const { peer } = this.#options;
    if (wasOpen) this.#ports.onFact({ type: "lost", peer, way: "out", reason });
    else if (this.#isRunning && reason !== this.#told) {
      this.#told = reason;
      this.#ports.onFact({ type: "not-connected", peer, reason });
    }
  }
}
