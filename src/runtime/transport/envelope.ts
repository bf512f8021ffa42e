import { verify } from "node:crypto";
import { types } from "node:util";

import type { NodeName } from "../../protocol/ids.ts";
import type { Identity, Registry } from "../keys/identity.ts";
import {
  bodyBytesMax,
  envelopeBytesMax,
  readEnvelope,
  signatureBytes,
  signedBytes,
  writeEnvelope,
} from "./envelope-bytes.ts";
import { type Mark, ReplayWindow } from "./replay-window.ts";

/** Why an envelope is dropped. */
export const dropReasons = [
  "oversized",
  "malformed",
  "wrong-receiver",
  "unknown-sender",
  "replayed",
  "forged",
] as const;
export type DropReason = (typeof dropReasons)[number];

/** What was in an envelope, or why it is dropped. */
export type Opened =
  | { readonly type: "body"; readonly from: NodeName; readonly body: string }
  | { readonly type: "dropped"; readonly reason: DropReason };

/** Closes envelopes; undefined for a body that is too large. */
export type Seal = (to: NodeName, body: string) => Uint8Array | undefined;

/** Closes envelopes for one boot of a node. Each receiver gets numbers of its own, from 1. */
export function createSeal(options: {
  readonly name: NodeName;
  readonly boot: number;
  readonly identity: Identity;
}): Seal {
  const { name, boot, identity } = options;
  const sequences = new Map<NodeName, number>();
  return (to, body) => {
    // No text has more than three bytes for each of its units, so most need not be measured.
    if (
      body.length * 3 > bodyBytesMax &&
      Buffer.byteLength(body) > bodyBytesMax
    )
      return undefined;
    const sequence = (sequences.get(to) ?? 0) + 1;
    sequences.set(to, sequence);
    const bytes = writeEnvelope({ from: name, to, boot, sequence }, body);
    const signatureAt = bytes.length - signatureBytes;
    const signed = signedBytes(bytes.subarray(0, signatureAt));
    bytes.set(identity.sign(signed), signatureAt);
    return bytes;
  };
}

/** Opens envelopes for one node, each of them once. */
export class EnvelopeOpener {
  readonly #name: NodeName;
  readonly #registry: Registry<NodeName>;
  readonly #windows = new Map<NodeName, ReplayWindow>();
  readonly #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true,
  });

  /** `marks` say what came before this node started: nothing up to them is taken again. */
  constructor(options: {
    readonly name: NodeName;
    readonly registry: Registry<NodeName>;
    readonly marks?: ReadonlyMap<NodeName, Mark> | undefined;
  }) {
    this.#name = options.name;
    this.#registry = options.registry;
    for (const [peer, mark] of options.marks ?? [])
      this.#windows.set(peer, new ReplayWindow(mark));
  }

  /** Never throws, whatever comes. What costs least is looked at first. */
  open(wire: unknown): Opened {
    if (!types.isUint8Array(wire)) return dropped("malformed");
    if (wire.length > envelopeBytesMax) return dropped("oversized");
    const parts = readEnvelope(wire);
    if (parts === undefined) return dropped("malformed");
    const { header, signed, signature } = parts;
    if (header.to !== this.#name) return dropped("wrong-receiver");
    const key = this.#registry.get(header.from);
    if (key === undefined) return dropped("unknown-sender");
    const window = this.#windowOf(header.from);
    if (!window.isNew(header)) return dropped("replayed");
    if (!verify(null, signedBytes(signed), key, signature))
      return dropped("forged");
    window.accept(header);
    const body = this.#decode(parts.body);
    return body === undefined
      ? dropped("malformed")
      : { type: "body", from: header.from, body };
  }

  /**
   * The newest envelope of every peer. Once this is durable, nothing that came before a restart is taken again after it.
   */
  marks(): ReadonlyMap<NodeName, Mark> {
    return new Map(
      [...this.#windows].map(([peer, window]) => [peer, window.mark]),
    );
  }

  #windowOf(peer: NodeName): ReplayWindow {
    const known = this.#windows.get(peer);
    if (known !== undefined) return known;
    const window = new ReplayWindow();
    this.#windows.set(peer, window);
    return window;
  }

  #decode(body: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(body);
    } catch {
      return undefined;
    }
  }
}

function dropped(reason: DropReason): Opened {
  return { type: "dropped", reason };
}
