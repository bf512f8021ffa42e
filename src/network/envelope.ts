import { type KeyObject, verify } from "node:crypto";
import { types } from "node:util";

import type { NodeName } from "../protocol/ids.ts";
import type { Identity, Registry } from "../keys/identity.ts";
import {
  bodyBytesMax,
  envelopeBytesMax,
  type Header,
  readEnvelope,
  signatureBytes,
  signedBytes,
  writeEnvelope,
} from "./envelope-bytes.ts";
import type { NetworkId } from "./network-id.ts";
import { isAfter, type Mark, ReplayWindow } from "./replay-window.ts";
import type { Session } from "./session.ts";

/** Why an envelope is dropped. */
export const dropReasons = [
  "oversized",
  "malformed",
  "wrong-receiver",
  "wrong-network",
  "unknown-sender",
  "replayed",
  "forged",
] as const;
export type DropReason = (typeof dropReasons)[number];

/** The content of an envelope, or why there is none. */
export type Opened =
  | (Genuine &
      (
        | { readonly type: "body"; readonly body: string }
        /** The peer tells its session, and nothing else. */
        | { readonly type: "greeting" }
        /** Not for this session of the receiver, which the sender has to learn. The content is not used. */
        | { readonly type: "misaddressed"; readonly isGreeting: boolean }
      ))
  | { readonly type: "dropped"; readonly reason: DropReason };

interface Genuine {
  readonly from: NodeName;
  /** The sender was never heard in such a late boot. */
  readonly isNewBoot: boolean;
}

/** Closes envelopes. The body must not be too large. */
export type Seal = (
  to: { readonly name: NodeName; readonly session: Session },
  body: string,
) => Uint8Array;

/** Whether the owner of a key signed some bytes. */
export type VerifyEnvelope = (
  bytes: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
) => boolean;

/** A node during one start of it. */
export interface Own {
  readonly name: NodeName;
  readonly network: NetworkId;
  readonly session: Session;
}

/** Closes envelopes for one boot of a node. Each receiver gets numbers of its own, from 1. */
export function createSeal(
  own: Own & { readonly boot: number; readonly identity: Identity },
): Seal {
  const { name: from, network, session: fromSession, boot, identity } = own;
  const sequences = new Map<NodeName, number>();
  return ({ name: to, session: toSession }, body) => {
    if (isTooLarge(body)) throw new Error("The body is too large to send.");
    const sequence = (sequences.get(to) ?? 0) + 1;
    sequences.set(to, sequence);
    const numbers = { boot, sequence };
    const bytes = writeEnvelope(
      { network, from, to, fromSession, toSession, ...numbers },
      body,
    );
    const signatureAt = bytes.length - signatureBytes;
    const signed = signedBytes(bytes.subarray(0, signatureAt));
    bytes.set(identity.sign(signed), signatureAt);
    return bytes;
  };
}

/** Whether a body does not fit into an envelope. */
export function isTooLarge(body: string): boolean {
  // No text has more than three bytes for each of its units, so most need not be measured.
  return (
    body.length * 3 > bodyBytesMax && Buffer.byteLength(body) > bodyBytesMax
  );
}

const isSigned: VerifyEnvelope = (bytes, key, signature) =>
  verify(null, bytes, key, signature);

/** A peer since one start of it. */
interface Peer {
  readonly boot: number;
  /** Undefined if it was heard before this node started, and not since then. */
  readonly session: Session | undefined;
  readonly window: ReplayWindow;
  /** The newest of its envelopes that was not for this session. Each is answered once. */
  misaddressed: Mark;
}

/**
 * Opens envelopes for one session of a node, each of them once. An envelope that was made for an earlier session is not used, so
 * nothing has to be remembered across a restart to recognise it.
 */
export class EnvelopeOpener {
  readonly #own: Own;
  readonly #registry: Registry<NodeName>;
  readonly #verify: VerifyEnvelope;
  readonly #peers = new Map<NodeName, Peer>();
  readonly #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true,
  });

  /** `boots` say in which boots peers were heard before: nothing from an older one is taken. */
  constructor(
    own: Own & {
      readonly registry: Registry<NodeName>;
      readonly boots?: ReadonlyMap<NodeName, number> | undefined;
      readonly verify?: VerifyEnvelope | undefined;
    },
  ) {
    this.#verify = own.verify ?? isSigned;
    this.#own = own;
    this.#registry = own.registry;
    for (const [name, boot] of own.boots ?? [])
      this.#peers.set(name, newPeer(boot));
  }

  /** The session of a peer, if it has been heard since this node started. */
  sessionOf(peer: NodeName): Session | undefined {
    if (peer === this.#own.name) return this.#own.session;
    return this.#peers.get(peer)?.session;
  }

  /** The boot in which a peer was heard last; 0 if it never was. */
  bootOf(peer: NodeName): number {
    return this.#peers.get(peer)?.boot ?? 0;
  }

  /** Never throws, whatever comes. What costs least is looked at first. */
  open(wire: unknown): Opened {
    if (!types.isUint8Array(wire)) return dropped("malformed");
    if (wire.length > envelopeBytesMax) return dropped("oversized");
    const parts = readEnvelope(wire);
    if (parts === undefined) return dropped("malformed");
    const { header } = parts;
    if (header.to !== this.#own.name) return dropped("wrong-receiver");
    if (header.network !== this.#own.network) return dropped("wrong-network");
    const key = this.#registry.get(header.from);
    if (key === undefined) return dropped("unknown-sender");
    const known = this.#peers.get(header.from) ?? newPeer(0);
    if (isBefore(header, known)) return dropped("replayed");
    const isSame = header.fromSession === known.session;
    const peer = isSame ? known : newPeer(header.boot, header.fromSession);
    const isForThisSession = header.toSession === this.#own.session;
    const isNew = isForThisSession
      ? peer.window.isNew(header)
      : isAfter(header, peer.misaddressed);
    if (!isNew) return dropped("replayed");
    if (!this.#verify(signedBytes(parts.signed), key, parts.signature))
      return dropped("forged");
    // An old envelope that is sent again can name a session that is over, but only until the peer answers: it is later.
    this.#peers.set(header.from, peer);
    const isNewBoot = header.boot > known.boot;
    const genuine = { from: header.from, isNewBoot };
    if (isForThisSession) {
      peer.window.accept(header);
      return this.#read(genuine, parts.body);
    }
    peer.misaddressed = header;
    const isGreeting = parts.body.length === 0;
    return { type: "misaddressed", ...genuine, isGreeting };
  }

  #read(genuine: Genuine, body: Uint8Array): Opened {
    if (body.length === 0) return { type: "greeting", ...genuine };
    try {
      return { type: "body", ...genuine, body: this.#decoder.decode(body) };
    } catch {
      return dropped("malformed");
    }
  }
}

function newPeer(boot: number, session?: Session): Peer {
  const mark = { boot, sequence: 0 };
  return { boot, session, window: new ReplayWindow(mark), misaddressed: mark };
}

/** Whether an envelope comes from an earlier start of a peer than the one that was heard. */
function isBefore({ boot, fromSession }: Header, peer: Peer): boolean {
  if (boot !== peer.boot) return boot < peer.boot;
  return peer.session !== undefined && fromSession < peer.session;
}

function dropped(reason: DropReason): Opened {
  return { type: "dropped", reason };
}
