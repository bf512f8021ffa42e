import {
  type Header,
  readEnvelope,
  signatureBytes,
  signedBytes,
  writeEnvelope,
} from "../../../network/envelope-bytes.ts";
import { bodiesIn } from "../../../node/outbox.ts";
import type { NodeName } from "../../../protocol/ids.ts";

/** What one node told another one in an envelope: texts of bodies; none if it only greets. */
export interface Letter {
  readonly header: Header;
  readonly texts: readonly string[];
}

/** Opens an envelope. Whether it is genuine is for its receiver to say. */
export function openLetter(wire: Uint8Array): Letter | undefined {
  const parts = readEnvelope(wire);
  if (parts === undefined) return undefined;
  const body = Buffer.from(parts.body).toString("utf8");
  const texts = body === "" ? [] : [...bodiesIn(body)];
  return {
    header: parts.header,
    texts: texts.filter((one) => one !== undefined),
  };
}

/**
 * Closes the envelopes of a member that lies, with its own key. Everything that its node sends goes through here, so that numbers do not
 * come twice.
 */
export class Sealer {
  readonly #sign: (bytes: Uint8Array) => Uint8Array;
  readonly #sequences = new Map<NodeName, number>();
  /** The last envelopes of its node to each peer, which name the sessions. */
  readonly #headers = new Map<NodeName, Header>();

  constructor(ports: { readonly sign: (bytes: Uint8Array) => Uint8Array }) {
    this.#sign = ports.sign;
  }

  /** Its node writes to a peer. */
  see(header: Header): void {
    this.#headers.set(header.to, header);
  }

  /** Undefined if its node has not written to that peer yet. */
  seal(to: NodeName, texts: readonly string[]): Uint8Array | undefined {
    const header = this.#headers.get(to);
    if (header === undefined) return undefined;
    const last = this.#sequences.get(to) ?? 0;
    const sequence = Math.max(last + 1, header.sequence);
    this.#sequences.set(to, sequence);
    const bytes = writeEnvelope({ ...header, sequence }, texts.join("\n"));
    const signatureAt = bytes.length - signatureBytes;
    const signed = signedBytes(bytes.subarray(0, signatureAt));
    bytes.set(this.#sign(signed), signatureAt);
    return bytes;
  }
}
