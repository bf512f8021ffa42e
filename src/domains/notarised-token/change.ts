import type { NewState } from "../domain.ts";
import type { Transfer } from "./states.ts";

/** What an intent does with the states that it spends, or why it cannot be done with them. */
export type Change =
  | {
      readonly type: "change";
      readonly outputs: readonly NewState[];
      readonly transfers: readonly Transfer[];
    }
  | { readonly type: "wrong"; readonly reason: string };

export function wrong(reason: string): Change {
  return { type: "wrong", reason };
}
