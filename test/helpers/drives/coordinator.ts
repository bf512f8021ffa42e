import type { Policy } from "../../../src/protocol/config.ts";
import type { NodeName } from "../../../src/protocol/ids.ts";
import {
  block,
  delegation,
  handover,
  heartbeat,
  submission,
} from "../letters.ts";
import { drained, keyOf, LoneNode, rank } from "../lone-node.ts";
import { intent } from "../simulated-group.ts";
import type { Drive, Trace } from "./drive.ts";
import { Coordinator, wish } from "./driven-coordinator.ts";

const open = intent(9, "").id;
const request = { type: "HandoverRequest", height: 0 } as const;

function aNode(trace: Trace, at: number, policy: Policy = "sticky"): LoneNode {
  return new LoneNode({ self: rank(at), policy }, {}, trace);
}

/** The second in rank, which wants to take over from the third. */
function elect(trace: Trace): LoneNode {
  return aNode(trace, 1, "rotating")
    .hear(rank(2), heartbeat("Active"))
    .hear(rank(2), delegation(intent(1, "")));
}

/** The second in rank, which waits for what the third has dispatched. */
function prepared(trace: Trace): LoneNode {
  return aNode(trace, 1)
    .hear(rank(2), heartbeat("Flush"))
    .wait(20)
    .hear(rank(2), handover([open], 15));
}

/** The second in rank, which gave way to the first while it waited, and now hears that the first has no work left. */
function gaveWay(trace: Trace): LoneNode {
  return prepared(trace)
    .hear(rank(0), heartbeat("Active"))
    .hear(rank(0), heartbeat("Closing"));
}

/** The same, asking the third for the role, whose work is in flight. */
function electAgain(trace: Trace): LoneNode {
  return gaveWay(trace)
    .hear(rank(2), heartbeat("Flush"))
    .hear(rank(2), delegation(intent(1, "")));
}

/** The second in rank, which gave the role to the first. */
function closing(trace: Trace): LoneNode {
  return aNode(trace, 1)
    .hear(rank(2), delegation(intent(1, "")))
    .hear(rank(0), request)
    .wait(10);
}

const rangeSizeBlocks = 4;

/** A node whose turn comes with the next range, and the last node of that range's order. */
function nextOne(trace: Trace): {
  readonly node: LoneNode;
  readonly height: number;
  readonly other: NodeName;
} {
  const self = rank(0);
  const { ranking } = new LoneNode({ self }).sequencer;
  let range = 0;
  while (ranking(range).at(-1) !== self || ranking(range + 1)[0] !== self)
    range += 1;
  const [other] = ranking(range);
  if (other === undefined) throw new Error("nobody is first");
  const height = range * rangeSizeBlocks;
  const config = { self, policy: "rotating", rangeSizeBlocks } as const;
  const node = new LoneNode(config, { height }, trace);
  return { node, height, other };
}

/** Somebody who has reached the next range delegates to a node that has not. */
function standby(trace: Trace): ReturnType<typeof nextOne> {
  const next = nextOne(trace);
  const { node, height, other } = next;
  node.hear(other, delegation(intent(1, ""), height + rangeSizeBlocks));
  return next;
}

const beginnings: readonly Drive[] = [
  {
    arrow: "Idle --> Prepared : HandoverReceived [hasToWaitFor]",
    run: prepared,
  },
  {
    arrow:
      "Idle --> Prepared : TransactionsDelegated [mayCoordinateAfterFlush]",
    run: (trace) =>
      gaveWay(trace)
        .wait(5)
        .hear(rank(2), delegation(intent(1, ""))),
  },
  {
    arrow:
      "Observing --> Prepared : TransactionsDelegated [mayStartAfterFlush]",
    run: (trace) => gaveWay(trace).hear(rank(2), delegation(intent(1, ""))),
  },
  {
    arrow: "Observing --> Observing : HandoverRequestReceived",
    run: (trace) =>
      aNode(trace, 1).hear(rank(2), heartbeat("Active")).hear(rank(0), request),
  },
  {
    arrow: "Observing --> Active : TransactionsDelegated [mayStartAtOnce]",
    run: (trace) =>
      aNode(trace, 1)
        .hear(rank(2), heartbeat("Active"))
        .hear(rank(2), heartbeat("Closing"))
        .hear(rank(2), delegation(intent(1, ""))),
  },
  {
    arrow: "Observing --> Standby : TransactionsDelegated [isNextAt]",
    run: (trace) => {
      const { node, height, other } = nextOne(trace);
      node.hear(other, heartbeat("Active", { height }));
      node.hear(other, delegation(intent(1, ""), height + rangeSizeBlocks));
    },
  },
  {
    arrow: "Observing --> Elect : HeartbeatReceived [shouldTakeOver]",
    run: (trace) =>
      aNode(trace, 0, "rotating")
        .hear(rank(2), heartbeat("Flush"))
        .hear(rank(2), heartbeat("Active")),
  },
  {
    arrow: "Standby --> Prepared : HandoverReceived [hasToWaitFor]",
    run: (trace) => {
      const { node, height, other } = standby(trace);
      node.hear(other, heartbeat("Flush", { height }));
      node.hear(other, handover([open], height + 15));
    },
  },
  {
    arrow: "Standby --> Standby : HandoverRequestReceived",
    run: (trace) => {
      const { node, other } = standby(trace);
      node.hear(other, request);
    },
  },
  {
    // Nobody else is heard, so this one stands in for those before it.
    arrow: "Standby --> Elect : TransactionsDelegated [mayCoordinate]",
    run: (trace) => {
      const { node, height, other } = standby(trace);
      node.hear(other, delegation(intent(2, ""), height));
    },
  },
];

const takeovers: readonly Drive[] = [
  {
    arrow: "Elect --> Elect : TransactionsDelegated",
    run: (trace) => elect(trace).hear(rank(2), delegation(intent(2, ""))),
  },
  {
    arrow: "Elect --> Observing : HandoverRequestReceived [isAskedByHigher]",
    run: (trace) => elect(trace).hear(rank(0), request),
  },
  {
    arrow: "Elect --> Observing : HeartbeatReceived [isOutrankedBy]",
    run: (trace) => elect(trace).hear(rank(0), heartbeat("Active")),
  },
  {
    arrow: "Elect --> Prepared : HandoverReceived [hasNothingNewToWaitFor]",
    run: (trace) => electAgain(trace).hear(rank(2), handover([], 0)),
  },
  {
    arrow: "Elect --> Prepared : PredecessorSilent [isInFlight]",
    run: (trace) => electAgain(trace).wait(16),
  },
  {
    arrow: "Prepared --> Active : NewBlock [isFlushOver]",
    run: (trace) => {
      const node = prepared(trace);
      for (let height = 1; height <= 15; height++) node.tell(block(height));
    },
  },
  {
    arrow: "Prepared --> Observing : HandoverRequestReceived [isAskedByHigher]",
    run: (trace) => prepared(trace).hear(rank(0), request),
  },
  {
    arrow: "Prepared --> Active : HeartbeatReceived [isPredecessorClosing]",
    run: (trace) =>
      prepared(trace)
        .tell(block(1))
        .hear(rank(2), heartbeat("Closing", { height: 1 })),
  },
  {
    arrow: "Prepared --> Observing : HeartbeatReceived [isOutrankedBy]",
    run: (trace) => prepared(trace).hear(rank(0), heartbeat("Active")),
  },
  {
    arrow: "Prepared --> Active : PredecessorSilent",
    run: (trace) => prepared(trace).wait(40),
  },
  {
    arrow: "Active --> Active : TransactionsDelegated",
    run: (trace) =>
      new LoneNode({ self: rank(0), mode: "local" }, {}, trace)
        .tell(submission(intent(1, "")))
        .hear(rank(1), delegation(intent(2, ""))),
  },
  {
    arrow: "Active --> Idle : WorkReturned [hasNoWork]",
    run: (trace) =>
      aNode(trace, 1)
        .hear(rank(2), delegation(intent(1, "")))
        .hear(rank(2), {
          type: "Suspicion",
          key: keyOf("suspicion"),
          of: rank(1),
        }),
  },
  {
    arrow: "Closing --> Closing : HandoverRequestReceived",
    run: (trace) => closing(trace).hear(rank(0), request),
  },
  {
    arrow: "Closing --> Prepared : HandoverReceived [hasToWaitFor]",
    run: (trace) =>
      closing(trace)
        .hear(rank(2), heartbeat("Flush"))
        .hear(rank(2), handover([open], 15)),
  },
  {
    arrow: "Closing --> Elect : TransactionsDelegated [mayCoordinate]",
    run: (trace) =>
      closing(trace)
        .hear(rank(2), heartbeat("Flush"))
        .hear(rank(2), delegation(intent(2, ""))),
  },
];

const drains: readonly Drive[] = [
  {
    arrow: "Standby --> Observing : RoleUnwanted",
    run: (trace) => drained(standby(trace).node),
  },
  {
    arrow: "Elect --> Observing : RoleUnwanted [mayLeave]",
    run: (trace) => drained(elect(trace)),
  },
  {
    arrow: "Prepared --> Observing : RoleUnwanted [mayLeave]",
    run: (trace) => drained(prepared(trace)),
  },
  {
    arrow: "Active --> Closing : RoleUnwanted [mayLeaveAtOnce]",
    run: (trace) =>
      drained(aNode(trace, 1).hear(rank(2), delegation(intent(1, "")))),
  },
  {
    arrow: "Active --> Flush : RoleUnwanted [mayLeave]",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.dispatched(wish(1));
      drained(coordinator.node);
    },
  },
];

/** Ways to arrows of the coordinator that no scenario takes. */
export const coordinatorDrives: readonly Drive[] = [
  ...beginnings,
  ...takeovers,
  ...drains,
];
