import type { NodeName } from "../../protocol/ids.ts";

/** Why a connection with a peer ended, or was never made. */
export type EndReason =
  /** No such host, or nobody listens there. */
  | "unreachable"
  /** What is there does not speak TLS 1.3, or it lets nobody in: no node is connected there, as in a passive replica. */
  | "no-handshake"
  /** It took too long until the first pong. */
  | "timeout"
  /** Whoever is there does not have the key of the peer. */
  | "wrong-key"
  /** The peer closed it before the first pong: it may not know this node's key. */
  | "refused"
  /** The peer closed it. */
  | "closed"
  | "broken"
  /** Nothing came for too long. */
  | "silent"
  /** A frame did not come to an end. */
  | "slow"
  /** A frame is larger than any envelope. */
  | "oversized"
  /** It sent more than pongs, or more of them than pings. */
  | "unasked"
  /** The peer has a newer one. */
  | "replaced"
  /** This node stopped. */
  | "stopped";

/** Why somebody was not let in. */
export type RefusalReason =
  /** No node is connected here at the moment. */
  | "absent"
  /** Too many others came who had not proven who they are. */
  | "crowded"
  | "no-handshake"
  | "timeout"
  | "no-certificate"
  | "unknown-key";

/** Why an envelope was not sent, as far as it is known here. */
export type LossReason =
  /** Newer ones needed its place. */
  | "full"
  /** The connection ended before the machine had taken all of it. */
  | "cut"
  /** No frame holds it. */
  | "unfit"
  /** This node stopped. */
  | "stopped";

/** "out": to a peer, for what is sent to it; "in": from a peer. */
export type Way = "out" | "in";

/** What an operator may want to know. Nothing of it is secret. */
export type SocketFact =
  | {
      readonly type: "connected";
      readonly peer: NodeName;
      readonly way: Way;
      /** To which one, if the peer has several. */
      readonly address?: string;
    }
  | {
      readonly type: "lost";
      readonly peer: NodeName;
      readonly way: Way;
      readonly reason: EndReason;
    }
  /** Told once for the same reason and address, until there was a connection. */
  | {
      readonly type: "not-connected";
      readonly peer: NodeName;
      readonly reason: EndReason;
      /** Which one, if the peer has several. */
      readonly address?: string;
    }
  /** As often as strangers like; who writes it down should only count. */
  | { readonly type: "refused"; readonly reason: RefusalReason };
