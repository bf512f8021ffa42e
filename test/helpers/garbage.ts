import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Frees everything that nobody holds, also what is outside the heap: that is only gone when the next collection begins. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
}
