import type { Timers } from "../async/timers.ts";

/** A domain did not answer in time. */
export class DomainSilence extends Error {
  override readonly name = "DomainSilence";
  /** It had as long as one answer may take. */
  readonly isOwn: boolean;

  constructor(ms: number, isOwn: boolean) {
    super(`It gave no answer within ${ms} ms.`);
    this.isOwn = isOwn;
  }
}

/** How long a domain may take for several answers, one after the other. */
export interface Deadline {
  /** Waits for an answer. Rejects with a {@link DomainSilence} if it takes too long. */
  readonly within: <Answer>(
    answer: Answer | Promise<Answer>,
  ) => Promise<Answer>;
  /** There is no time for more. */
  readonly isOver: () => boolean;
  /** To be called when nothing more is asked. */
  readonly end: () => void;
}

/** For those who wait as long as it takes. */
export const endless: Deadline = {
  within: async (answer) => await answer,
  isOver: () => false,
  end: () => undefined,
};

/** Of the time for several answers, one may take so much: the others need not wait for one that never comes. */
const SHARE = 0.6;

/** All answers together have so much time. */
export function deadlineAfter(
  options: {
    readonly ms: number;
    /** How many answers there are. */
    readonly count: number;
  },
  timers: Timers,
): Deadline {
  const { ms, count } = options;
  const shareMs = count > 1 ? Math.round(SHARE * ms) : ms;
  let isOver = false;
  let giveUp: ((isOwn: boolean) => void) | undefined;
  const callOff = timers.after(ms, () => {
    isOver = true;
    giveUp?.(count === 1);
  });
  return {
    isOver: () => isOver,
    end: callOff,
    within: async (answer) => {
      if (!(answer instanceof Promise)) return await answer;
      return await new Promise((resolve, reject) => {
        giveUp = (isOwn) => {
          reject(new DomainSilence(shareMs, isOwn));
        };
        if (isOver) giveUp(false);
        const callOffShare = timers.after(shareMs, () => giveUp?.(true));
        answer.then(resolve, reject).finally(callOffShare);
      });
    },
  };
}
