import type { Timers } from "../../src/async/timers.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { LoopDriver } from "../../src/node/driver.ts";
import {
  type EffectPorts,
  EffectRunner,
} from "../../src/node/effect-runner.ts";
import { isAlone, type NodeLoop } from "../../src/node/node-events.ts";
import { NodeSteps, type StepPorts } from "../../src/node/node-steps.ts";
import { Requests } from "../../src/node/requests.ts";
import { StoreWriter } from "../../src/node/store-writer.ts";
import type { Store } from "../../src/store/store.ts";
import { noUsers } from "./no-users.ts";

/** The loop of a node, in a test that brings only some of its parts. */
export interface TestLoop {
  readonly loop: NodeLoop;
  readonly requests: Requests;
  /** Begins, with these parts; the others do nothing. */
  readonly start: (parts: {
    readonly steps?: Partial<StepPorts>;
    readonly effects?: Partial<EffectPorts>;
  }) => void;
}

function nothing(): void {
  // A part that this test does without.
}

function absent(): never {
  throw new Error("This test has no such part.");
}

/** The real loop, steps, writes and effects, on a store. A failure ends the process of the test. */
export function createTestLoop(
  store: Store,
  timers: Timers = machineTimers,
): TestLoop {
  const fail = (error: unknown): void => {
    throw error;
  };
  const loop: NodeLoop = new LoopDriver({ store, timers, onFatal: fail });
  const requests = new Requests();
  return {
    loop,
    requests,
    start: ({ steps, effects }) => {
      const { step } = new NodeSteps({ ...noSteps, ...steps });
      const { perform } = new EffectRunner(
        { height: 0 },
        { ...noEffects, loop, requests, ...effects },
      );
      const { apply } = new StoreWriter({
        store,
        users: noUsers,
        submitter: {
          reserve: nothing,
          reservePublic: nothing,
          reopenAbove: nothing,
        },
      });
      loop.start({ step, isAlone, apply, perform });
    },
  };
}

const noSteps: StepPorts = {
  roster: { get: absent, has: () => false, drain: () => [] },
  quotas: { release: nothing },
  ticking: { tick: nothing, delay: nothing },
  feed: {
    add: absent,
    addHistory: absent,
    completeHistory: absent,
    revert: absent,
  },
  intake: { step: absent },
  catchUp: { keep: absent },
};

const noEffects: Omit<EffectPorts, "loop" | "requests"> = {
  assembling: { assemble: nothing },
  endorsing: { endorse: nothing },
  showing: { show: nothing },
  submitter: { submit: nothing, onBlocks: nothing, onRevert: nothing },
  indexer: {
    watch: async () => {
      await Promise.resolve();
    },
  },
  send: nothing,
  catchUp: {
    ask: nothing,
    askAtOnce: nothing,
    release: nothing,
    releaseAll: nothing,
    learnt: () => false,
  },
  membership: { offerToAdded: nothing },
  roster: { add: nothing, putAside: nothing, find: () => undefined },
  ticking: { ticked: nothing },
  settled: { tell: nothing },
  post: nothing,
  fail: absent,
  onFact: nothing,
};
