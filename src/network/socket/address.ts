/** Where a node listens. The host is a name or an IP address. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** As people write it. */
export function showAddress({ host, port }: PeerAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
