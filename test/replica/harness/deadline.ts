/** Only what is stuck takes so long, also on a machine that has much else to do. */
export const DEADLINE_MS = 180_000;
