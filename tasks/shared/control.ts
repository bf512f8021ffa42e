import type { EndReason } from "../../src/view/facts.ts";

/** Signals closer together than this are one key press: a terminal sends it to every process, and npx passes it on. */
const sameKeyMs = 200;

/** Whether and why a run shall end. */
export interface Control {
  /** Resolves when no new work shall be taken. Rejects when a node cannot go on. */
  readonly ended: Promise<EndReason>;
  readonly hasEnded: () => boolean;
  /** Resolves when nothing shall be waited for any more. */
  readonly left: Promise<void>;
  readonly hasLeft: () => boolean;
  /** A key was pressed: first end, then leave. */
  readonly interrupt: () => void;
  readonly timeOut: () => void;
  readonly fail: (error: unknown) => void;
}

/** Keeps track of what was asked. */
export function createControl(now: () => number): Control {
  const ended = deferred<EndReason>();
  const left = deferred<undefined>();
  let interruptedMs: number | undefined;
  let hasEnded = false;
  let hasLeft = false;
  // Nobody may be waiting when a node fails, and then the error is found when somebody does.
  ended.promise.catch(() => undefined);
  const end = (reason: EndReason): void => {
    hasEnded = true;
    ended.resolve(reason);
  };
  const leave = (): void => {
    hasLeft = true;
    left.resolve(undefined);
  };
  return {
    ended: ended.promise,
    hasEnded: () => hasEnded,
    left: left.promise,
    hasLeft: () => hasLeft,
    interrupt: () => {
      if (interruptedMs === undefined) {
        interruptedMs = now();
        end("interrupted");
      } else if (now() - interruptedMs >= sameKeyMs) leave();
    },
    timeOut: () => {
      end("timeout");
      leave();
    },
    fail: (error) => {
      hasEnded = true;
      ended.reject(error);
      leave();
    },
  };
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

function deferred<Value>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, "promise"> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error("A promise was not made.");
  return { promise, ...settle };
}
