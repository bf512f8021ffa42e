/** How often something happened, by reason. */
export type Counts<Reason extends string> = Readonly<
  Partial<Record<Reason, number>>
>;

/** The same while it is counted. */
export type Tally<Reason extends string> = Map<Reason, number>;

export function countIn<Reason extends string>(
  tally: Tally<Reason>,
  reason: Reason,
  count = 1,
): void {
  if (count > 0) tally.set(reason, (tally.get(reason) ?? 0) + count);
}
