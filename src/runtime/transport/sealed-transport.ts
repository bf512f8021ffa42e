import type { NodeName } from "../../protocol/ids.ts";
import type { Identity, Registry } from "../keys/identity.ts";
import type { Receive, Transport } from "../ports.ts";
import type { Connect } from "./carrier.ts";
import { createSeal, type DropReason, EnvelopeOpener } from "./envelope.ts";
import type { Mark } from "./replay-window.ts";

/** One node on the network. */
export interface Member {
  readonly name: NodeName;
  /** Grows with every start, durably. */
  readonly boot: number;
  readonly identity: Identity;
  /** The public keys of all nodes, this one among them. */
  readonly registry: Registry<NodeName>;
  /** What came before this start; see {@link SealedTransport.marks}. */
  readonly marks?: ReadonlyMap<NodeName, Mark> | undefined;
}

/** A transport that proves who sent what. */
export interface SealedTransport extends Transport {
  /** Bodies that were dropped here, by reason: on arrival, or before they left because they are too large. */
  readonly dropped: () => Readonly<Partial<Record<Dropped, number>>>;
  /** The newest envelope of every peer, to be made durable together with what envelopes caused. */
  readonly marks: () => ReadonlyMap<NodeName, Mark>;
}

type Dropped = DropReason | "too-large-to-send";

/** Puts envelopes around what a carrier moves. */
export function createSealedTransport(
  member: Member,
  ports: { readonly connect: Connect; readonly receive: Receive },
): SealedTransport {
  const seal = createSeal(member);
  const opener = new EnvelopeOpener(member);
  const counts: Partial<Record<Dropped, number>> = {};
  const count = (reason: Dropped): void => {
    counts[reason] = (counts[reason] ?? 0) + 1;
  };
  let isStopped = false;
  const carrier = ports.connect(member.name, (wire) => {
    if (isStopped) return;
    const opened = opener.open(wire);
    if (opened.type === "body") ports.receive(opened.from, opened.body);
    else count(opened.reason);
  });
  return {
    send: (to, body) => {
      if (isStopped) return;
      const wire = seal(to, body);
      if (wire === undefined) count("too-large-to-send");
      else carrier.carry(to, wire);
    },
    stop: async () => {
      isStopped = true;
      await carrier.stop();
    },
    dropped: () => ({ ...counts }),
    marks: () => opener.marks(),
  };
}
