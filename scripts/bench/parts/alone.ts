import {
  contentionDefaults,
  contentionGoal,
  contentionRows,
  contentionTitle,
  measureContention,
} from "../alone/contention.ts";
import type { Part } from "../part.ts";

/** The same intents with a coordinator and without one. */
export const alone: Part = {
  about: "what members do who have no coordinator: reverts, gas wasted",
  run: async ({ isQuick, tell }) => {
    const options = {
      ...contentionDefaults,
      ...(isQuick && { intents: 50 }),
    };
    tell(contentionTitle(options));
    const result = await measureContention(options);
    return {
      sections: [
        {
          title: contentionTitle(options),
          rows: contentionRows(result, options),
        },
      ],
      goals: [contentionGoal(result)],
    };
  },
};
