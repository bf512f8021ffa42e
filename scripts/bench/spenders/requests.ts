import type { GroupAddress, NodeName } from "../../../src/protocol/ids.ts";
import type { NewGroup } from "../../../src/cluster/cluster.ts";
import type { NodeSettings } from "../../../src/node/settings.ts";
import type { PeerAddress } from "../../../src/network/socket/address.ts";
import type { Call } from "../pot.ts";

/** What all nodes know of one. */
export interface BenchPeer {
  readonly name: NodeName;
  readonly address: PeerAddress;
  readonly publicKey: string;
  readonly endorser: string;
}

/** What a process is asked to do with its node, and what it answers. */
export interface Requests {
  start: {
    readonly asks: {
      readonly name: NodeName;
      readonly directory: string;
      /** Endorses and pays. */
      readonly privateKey: string;
      readonly peers: readonly BenchPeer[];
      readonly url: string;
      readonly chainId: bigint;
      readonly factory: string;
      readonly settings: NodeSettings;
    };
    readonly answers: undefined;
  };
  createGroup: {
    readonly asks: Required<Omit<NewGroup, "members">> & {
      readonly id: string;
      readonly members: readonly NodeName[];
    };
    readonly answers: GroupAddress;
  };
  /** Answered when the node has joined. */
  join: { readonly asks: GroupAddress; readonly answers: undefined };
  /** Answered with the block of the last one when all are confirmed. */
  send: {
    readonly asks: {
      readonly group: GroupAddress;
      readonly call: Call;
      readonly count: number;
      /** Open at a time. */
      readonly openMax: number;
    };
    readonly answers: number;
  };
  /** Answered when the node has seen this block. */
  see: { readonly asks: number; readonly answers: undefined };
  /** Answered with what the pot holds. */
  look: { readonly asks: GroupAddress; readonly answers: string };
  stop: { readonly asks: undefined; readonly answers: undefined };
}

export type RequestName = keyof Requests;

/** As it goes to a process. */
export interface Request {
  readonly number: number;
  readonly name: RequestName;
  readonly asks: unknown;
}

/** As it comes back. */
export type Answer =
  | { readonly number: number; readonly answers: unknown }
  | { readonly number: number; readonly error: string }
  | { readonly failure: string };
