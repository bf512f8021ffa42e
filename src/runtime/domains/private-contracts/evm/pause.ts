import { setImmediate } from "node:timers/promises";

import type { EVMOpts } from "@ethereumjs/evm";

type CustomOpcode = NonNullable<EVMOpts["customOpcodes"]>[number];

const JUMPDEST = 0x5b;
/** Some milliseconds apart. */
const JUMPS = 8_192;

/**
 * JUMPDEST, which does nothing, as it should, but lets the rest of the node live now and then. Nothing runs for long without
 * jumping, and a loop that runs until its gas is spent takes seconds.
 */
export function pausing(): CustomOpcode {
  let jumps = 0;
  return {
    opcode: JUMPDEST,
    opcodeName: "JUMPDEST",
    baseFee: 1,
    logicFunction: async () => {
      jumps += 1;
      if (jumps % JUMPS === 0) await setImmediate();
    },
  };
}
