import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

interface ClockPorts {
  readonly queue: Queue;
  readonly random: Random;
}

/** A node's clock, which never stops. Those of different nodes run at slightly different speeds. */
export function startClock(
  tickMs: number,
  ports: ClockPorts,
  tick: () => void,
): void {
  const drift = 1 + (ports.random.fraction() - 0.5) * 0.1;
  repeat(tickMs, ports, tick, drift);
}

/** Does something again and again, the first time at some moment of the first round. */
export function repeat(
  everyMs: number,
  { queue, random }: ClockPorts,
  act: () => void,
  drift = 1,
): void {
  const again = (): void => {
    act();
    queue.after(everyMs * drift, again);
  };
  queue.after(random.below(everyMs), again);
}
