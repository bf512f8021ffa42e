import type { SavedRecord } from "../../../../src/protocol/records.ts";
import type { Moment } from "../../../../src/node/driver.ts";
import type { Batch } from "../../../../src/node/loop.ts";
import type { NodeWrite } from "../../../../src/node/node-writes.ts";

/** What becomes durable on the way of an intent, in order. */
const durable = [
  /** At the sender: the intent itself. */
  "intent",
  /** At the sender: how far ahead it signs steps. */
  "horizon",
  /** At an endorser: what it signs. */
  "endorsement",
  /** At the sender: whom it permits to dispatch what. */
  "permission",
  /** At the coordinator: the bundle, with its endorsements. */
  "dispatch",
  /** At the sender: that the bundle is dispatched. */
  "notice",
  /** At the coordinator: that the sender knows. */
  "ack",
  /** At the old coordinator: what the new one has to know. */
  "handover",
  /** At the sender: how it ended. */
  "receipt",
] as const;

/** Inside the commit; after it, before anything else; after all that follows from it. */
const momentNames = {
  written: "before",
  durable: "after",
  performed: "done",
} as const satisfies Readonly<Record<Moment, string>>;

const moments = Object.values(momentNames);

export type FailPoint =
  `${(typeof moments)[number]}-${(typeof durable)[number]}`;

/** All points at which a test can let a process die. */
export const failPoints: readonly FailPoint[] = durable.flatMap((point) =>
  moments.map((moment): FailPoint => `${moment}-${point}`),
);

/** What becomes durable with a record. */
export function durableIn(record: SavedRecord): (typeof durable)[number] {
  switch (record.kind) {
    case "intent":
      if (record.receipt !== undefined) return "receipt";
      if (record.isDispatched) return "notice";
      return record.permission === undefined ? "intent" : "permission";
    case "dispatch":
      return record.acknowledged.length === 0 ? "dispatch" : "ack";
    case "handover":
      return "handover";
    case "horizon":
      return "horizon";
    case "endorsed":
      return "endorsement";
  }
}

/** Calls back at every point of a batch at which the process may die. */
export function watchBatch(
  { writes }: Pick<Batch<unknown, NodeWrite, unknown>, "writes">,
  moment: Moment,
  failAt: (point: FailPoint) => void,
): void {
  for (const write of writes)
    if (write.type === "save-record")
      failAt(`${momentNames[moment]}-${durableIn(write.record)}`);
}
