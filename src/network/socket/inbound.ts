import type { TLSSocket } from "node:tls";

import type { Timers } from "../../async/timers.ts";
import { envelopeBytesMax } from "../envelope-bytes.ts";
import { Alarm } from "./alarm.ts";
import type { EndReason } from "./facts.ts";
import { emptyFrame, FrameReader } from "./frames.ts";
import type { SocketLimits } from "./limits.ts";

interface InboundPorts {
  readonly timers: Timers;
  readonly arrive: (wire: Uint8Array) => void;
  /** Once, and the last of all. */
  readonly onEnd: (reason: EndReason) => void;
}

/** A connection from a peer that has proven who it is. Frames come, pongs go back. */
export class Inbound {
  readonly #limits: SocketLimits;
  readonly #ports: InboundPorts;
  readonly #socket: TLSSocket;
  readonly #reader = new FrameReader({ bytesMax: envelopeBytesMax });
  readonly #alarm: Alarm;
  #isEnded = false;

  constructor(
    options: { readonly socket: TLSSocket; readonly limits: SocketLimits },
    ports: InboundPorts,
  ) {
    const { socket } = options;
    this.#limits = options.limits;
    this.#ports = ports;
    this.#socket = socket;
    this.#alarm = new Alarm(ports.timers);
    this.#await();
    socket.on("data", (chunk: Buffer) => {
      this.#read(chunk);
    });
    socket.on("error", () => {
      this.end("broken");
    });
    socket.once("close", () => {
      this.end("closed");
    });
  }

  end(reason: EndReason): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#alarm.clear();
    this.#socket.destroy();
    this.#ports.onEnd(reason);
  }

  #read(chunk: Buffer): void {
    // However slowly the bytes of a frame come, its time is not set anew.
    let isNew = !this.#reader.isInside;
    for (const frame of this.#reader.read(chunk)) {
      if (frame === "oversized") {
        this.end("oversized");
        return;
      }
      isNew = true;
      if (frame.length > 0) this.#ports.arrive(frame);
      else this.#pong();
      if (this.#isEnded) return;
    }
    if (isNew) this.#await();
  }

  #pong(): void {
    // Whoever does not read its pongs gets no more of them.
    if (!this.#socket.writableNeedDrain) this.#socket.write(emptyFrame);
  }

  #await(): void {
    if (this.#reader.isInside)
      this.#alarm.set(this.#limits.frameMs, () => {
        this.end("slow");
      });
    else
      this.#alarm.set(this.#limits.silenceMs, () => {
        this.end("silent");
      });
  }
}
