/** Domains of the runtime that can be simulated. */
export const domainNames = [
  "group-token",
  "notarised-token",
  "owned-coins",
  "private-contracts",
] as const;
export type DomainName = (typeof domainNames)[number];
