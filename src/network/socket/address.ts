/** Where a node listens. The host is a name or an IP address. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** Addresses of one node: it has few replicas, and a round over all of them is short. */
export const PEER_ADDRESSES_MAX = 16;

/** As people write it. */
export function showAddress({ host, port }: PeerAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
