import type { KeyObject } from "node:crypto";
import type { SecureContext } from "node:tls";

import type { NodeName } from "../../protocol/ids.ts";
import { Backoff } from "../../chain/backoff.ts";
import type { Timers } from "../../async/timers.ts";
import { envelopeBytesMax } from "../envelope-bytes.ts";
import type { Draw } from "../link-faults.ts";
import { type PeerAddress, showAddress } from "./address.ts";
import { Alarm } from "./alarm.ts";
import type { EndReason, LossReason, SocketFact } from "./facts.ts";
import type { SocketLimits } from "./limits.ts";
import { Outbound } from "./outbound.ts";
import { WireQueue } from "./queue.ts";
import { type Failure, Round } from "./round.ts";
import { countIn, type Counts, type Tally } from "./tally.ts";

interface DiallerOptions {
  readonly peer: NodeName;
  /** At least one. Replicas of a node listen at different ones, and only the active replica lets others in. */
  readonly addresses: readonly PeerAddress[];
  readonly key: KeyObject;
  readonly secureContext: SecureContext;
  readonly limits: SocketLimits;
}

interface DiallerPorts {
  readonly timers: Timers;
  readonly draw: Draw;
  readonly onFact: (fact: SocketFact) => void;
}

/**
 * Keeps what waits for one peer, and a connection to it. When one ends, it dials the other addresses of the peer at once, and pauses
 * after each round.
 */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #ports: DiallerPorts;
  readonly #queue: WireQueue;
  readonly #round: Round;
  readonly #pauses: Backoff;
  readonly #alarm: Alarm;
  readonly #lost: Tally<LossReason> = new Map();
  readonly #ended: Tally<EndReason> = new Map();
  #connection: Outbound | undefined;
  /** Resolves when nothing is left of the last connection. */
  #closed: Promise<void> | undefined;
  #isRunning = false;

  constructor(options: DiallerOptions, ports: DiallerPorts) {
    this.#options = options;
    this.#ports = ports;
    const { limits } = options;
    this.#round = new Round(options.addresses);
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
    this.#round.begin();
    this.#dial();
  }

  /**
   * The peer has just connected to here. If it has several addresses, another of its replicas may have become active: the connection
   * to it must answer soon, and a pause ends.
   */
  heard(): void {
    if (!this.#isRunning || !this.#round.hasAlternatives) return;
    if (this.#connection !== undefined) this.#connection.probe();
    else {
      this.#alarm.clear();
      this.#dial();
    }
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
    const address = this.#round.take();
    const before = this.#closed;
    const options = { ...this.#options, address };
    const connection = new Outbound(options, {
      timers: this.#ports.timers,
      next: () => this.#queue.take(),
      onCut: () => {
        countIn(this.#lost, "cut");
      },
      onPong: () => {
        pongs += 1;
        if (pongs === 1) this.#connected(address);
        // Only what lasts counts: two nodes with one key would drive each other out without a pause.
        if (pongs !== 2) return;
        this.#pauses.reset();
        this.#round.lasts();
      },
      onEnd: (reason) => {
        this.#end({ address, reason }, pongs > 0);
      },
    });
    this.#connection = connection;
    // The one before may not be closed yet.
    this.#closed = connection.closed.then(async () => {
      await before;
    });
  }

  #connected(address: PeerAddress): void {
    this.#round.connected();
    const { peer } = this.#options;
    const where = this.#shown(address);
    this.#ports.onFact({ type: "connected", peer, way: "out", ...where });
  }

  #end(failure: Failure, wasOpen: boolean): void {
    const { reason } = failure;
    this.#connection = undefined;
    countIn(this.#ended, reason);
    const { peer } = this.#options;
    const news = wasOpen ? [] : this.#round.failed(failure);
    if (this.#isRunning) this.#dialAgain();
    if (wasOpen) this.#ports.onFact({ type: "lost", peer, way: "out", reason });
    else if (this.#isRunning)
      for (const { address, reason } of news)
        this.#ports.onFact({
          type: "not-connected",
          peer,
          reason,
          ...this.#shown(address),
        });
  }

  #dialAgain(): void {
    if (!this.#round.isOver) {
      this.#dial();
      return;
    }
    this.#round.begin();
    // Peers that lost the same node at the same time should not all be back at the same time.
    const jitter = (1 + this.#ports.draw.fraction()) / 2;
    this.#alarm.set(Math.ceil(this.#pauses.next() * jitter), () => {
      this.#dial();
    });
  }

  /** Which address it was, if the peer has several. */
  #shown(address: PeerAddress): { readonly address?: string } {
    return this.#round.hasAlternatives ? { address: showAddress(address) } : {};
  }
}
