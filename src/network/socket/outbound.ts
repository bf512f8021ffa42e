import type { KeyObject } from "node:crypto";
import { connect, type SecureContext, type TLSSocket } from "node:tls";

import type { Timers } from "../../async/timers.ts";
import { Alarm } from "./alarm.ts";
import type { PeerAddress } from "./address.ts";
import type { EndReason } from "./facts.ts";
import { FrameWriter } from "./frame-writer.ts";
import { FrameReader } from "./frames.ts";
import type { SocketLimits } from "./limits.ts";
import { provenKey } from "./peer-key.ts";

interface OutboundOptions {
  readonly address: PeerAddress;
  /** Of the peer. */
  readonly key: KeyObject;
  readonly secureContext: SecureContext;
  readonly limits: SocketLimits;
}

interface OutboundPorts {
  readonly timers: Timers;
  /** What to send next. */
  readonly next: () => Uint8Array | undefined;
  /** The first pong, and every one to a ping that was due; not to a probe. */
  readonly onPong: () => void;
  readonly onCut: () => void;
  /** Once, and the last of all. */
  readonly onEnd: (reason: EndReason) => void;
}

/**
 * One connection to a peer, from dialling to its end. Frames go one way, pongs come back. Nothing is sent before the first
 * pong: in TLS 1.3 whoever dials is ready before the other side has looked at its certificate.
 */
export class Outbound {
  readonly #options: OutboundOptions;
  readonly #ports: OutboundPorts;
  readonly #socket: TLSSocket;
  readonly #writer: FrameWriter;
  /** Pongs have no bytes. */
  readonly #reader = new FrameReader({ bytesMax: 0 });
  readonly #alarm: Alarm;
  #state: "dialling" | "shaking hands" | "greeting" | "open" | "ended" =
    "dialling";
  #isPongDue = false;
  /** The ping that waits for its pong was sent to find out whether the peer is still there. */
  #isProbe = false;
  /** How long the pong may take. */
  #pongMs: number;

  /** Resolves when nothing is left of the socket. */
  readonly closed: Promise<void>;

  constructor(options: OutboundOptions, ports: OutboundPorts) {
    this.#options = options;
    this.#ports = ports;
    const { address, secureContext, limits } = options;
    this.#alarm = new Alarm(ports.timers);
    this.#pongMs = limits.pongMs;
    this.#alarm.set(limits.handshakeMs, () => {
      this.end("timeout");
    });
    const socket = connect({
      host: address.host,
      port: address.port,
      secureContext,
      // The key is compared instead, below.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    this.#socket = socket;
    this.#writer = new FrameWriter(socket, {
      next: () => (this.#state === "open" ? ports.next() : undefined),
      onCut: ports.onCut,
    });
    socket.setNoDelay(true);
    socket.once("connect", () => {
      this.#state = "shaking hands";
    });
    socket.once("secureConnect", () => {
      this.#greet();
    });
    socket.on("drain", () => {
      this.#drained();
    });
    socket.on("error", () => {
      this.end(this.#failure("broken"));
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.end(this.#failure("closed"));
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** There is something to send. */
  wake(): void {
    if (this.#state === "open") this.#writer.write();
  }

  /** Ends soon unless the peer answers. */
  probe(): void {
    const { probeMs } = this.#options.limits;
    this.#pongMs = probeMs;
    if (this.#state !== "open" || this.#isPongDue) this.#alarm.hasten(probeMs);
    else {
      this.#isProbe = true;
      this.#ask();
    }
  }

  end(reason: EndReason): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#alarm.clear();
    this.#writer.end();
    this.#socket.destroy();
    this.#ports.onEnd(reason);
  }

  #failure(otherwise: "broken" | "closed"): EndReason {
    switch (this.#state) {
      case "dialling":
        return "unreachable";
      case "shaking hands":
        return "no-handshake";
      case "greeting":
        return "refused";
      case "open":
      case "ended":
        return otherwise;
    }
  }

  #greet(): void {
    if (this.#state === "ended") return;
    if (provenKey(this.#socket)?.equals(this.#options.key) !== true) {
      this.end("wrong-key");
      return;
    }
    this.#state = "greeting";
    this.#socket.on("data", (chunk: Buffer) => {
      this.#read(chunk);
    });
    this.#isPongDue = true;
    this.#writer.ping();
  }

  #read(chunk: Buffer): void {
    for (const frame of this.#reader.read(chunk)) {
      if (frame === "oversized" || !this.#isPongDue) {
        this.end("unasked");
        return;
      }
      this.#isPongDue = false;
      this.#state = "open";
      const { pingMs, pongMs } = this.#options.limits;
      this.#alarm.set(pingMs, () => {
        this.#ask();
      });
      this.#pongMs = pongMs;
      if (!this.#isProbe) this.#ports.onPong();
      this.#isProbe = false;
      this.wake();
    }
  }

  #ask(): void {
    this.#isPongDue = true;
    this.#awaitPong();
    this.#writer.ping();
  }

  #awaitPong(): void {
    this.#alarm.set(this.#pongMs, () => {
      this.end("silent");
    });
  }

  #drained(): void {
    if (this.#state === "ended") return;
    // The ping is behind a large frame, of which the peer has read some.
    if (this.#writer.isPingDue) this.#awaitPong();
    this.#writer.drained();
  }
}
