import type { FailPoint } from "../processes/fail-points.ts";

/** Something that goes wrong, and with whom. */
export type Fault =
  | { readonly kind: "kill"; readonly node: string }
  /** Whoever coordinates when it is time for it. */
  | { readonly kind: "kill-coordinator" }
  /** Asked to end, and started again, as when it is updated. */
  | {
      readonly kind: "stop";
      readonly node: string;
      readonly signal: "SIGTERM" | "SIGINT";
    }
  /** Started again, so that it kills itself as soon as it comes to a point. */
  | {
      readonly kind: "fail-point";
      readonly node: string;
      readonly point: FailPoint;
    }
  | { readonly kind: "freeze"; readonly node: string }
  | { readonly kind: "full-disk"; readonly node: string }
  | {
      readonly kind: "partition";
      readonly sides: readonly (readonly string[])[];
    }
  | { readonly kind: "one-way"; readonly from: string; readonly to: string }
  | {
      readonly kind: "slow";
      readonly node: string;
      readonly delayMs: number;
      readonly bytesPerSecond: number;
    }
  | { readonly kind: "chain-frozen" }
  | { readonly kind: "chain-unreachable" }
  | { readonly kind: "reorganisation"; readonly depth: number }
  | { readonly kind: "mining-paused" };

export type FaultKind = Fault["kind"];

/** How often a kind comes in one round through all of them. */
export const weights: Readonly<Record<FaultKind, number>> = {
  kill: 2,
  "kill-coordinator": 2,
  stop: 1,
  // Only where somebody asks for it: which point is worth something depends on what is looked for.
  "fail-point": 0,
  freeze: 2,
  "full-disk": 1,
  partition: 2,
  "one-way": 1,
  slow: 1,
  "chain-frozen": 1,
  "chain-unreachable": 1,
  reorganisation: 2,
  "mining-paused": 1,
};

/** What a fault is about. Two faults at the same time are about different things. */
export function targetOf(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
    case "stop":
    case "fail-point":
    case "freeze":
    case "full-disk":
      return fault.node;
    case "kill-coordinator":
      return "coordinator";
    case "partition":
    case "one-way":
    case "slow":
      return "network";
    case "chain-frozen":
    case "chain-unreachable":
    case "reorganisation":
    case "mining-paused":
      return "chain";
  }
}

/** The same, for people. */
export function detailOf(fault: Fault): string {
  switch (fault.kind) {
    case "partition":
      return fault.sides.map((side) => side.join("+")).join(" | ");
    case "one-way":
      return `${fault.from} → ${fault.to}`;
    case "slow":
      return `${fault.node}, ${fault.delayMs} ms, ${fault.bytesPerSecond} B/s`;
    case "reorganisation":
      return `${fault.depth} blocks`;
    case "stop":
      return fault.signal;
    case "fail-point":
      return fault.point;
    case "kill":
    case "kill-coordinator":
    case "freeze":
    case "full-disk":
    case "chain-frozen":
    case "chain-unreachable":
    case "mining-paused":
      return "";
  }
}
