import type { Common } from "@ethereumjs/common";
import { type EVMOpts, getOpcodesForHF } from "@ethereumjs/evm";

import type { Pace } from "./pace.ts";
import type { Work } from "./work.ts";

type CustomOpcode = Extract<
  NonNullable<EVMOpts["customOpcodes"]>[number],
  { logicFunction: unknown }
>;
type Handler = CustomOpcode["logicFunction"];
type RunState = Parameters<Handler>[0];

/** Jumps between two looks at the clock: about 50 microseconds. */
const JUMPS = 256;
const JUMPDEST = 0x5b;
const LOGS = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4] as const;

/** Work by the number of the stack item that has a length in bytes; measured, see the decision on hostile bytecode. */
const byLength: Readonly<
  Record<
    number,
    { readonly item: number; readonly base: number; readonly word: number }
  >
> = {
  0x20: { item: 2, base: 20, word: 8 }, // KECCAK256
  0x37: { item: 3, base: 0, word: 40 }, // CALLDATACOPY
  0x39: { item: 3, base: 0, word: 40 }, // CODECOPY
  0x3c: { item: 4, base: 0, word: 40 }, // EXTCODECOPY
  0x3e: { item: 3, base: 0, word: 40 }, // RETURNDATACOPY
  0x5e: { item: 3, base: 0, word: 4 }, // MCOPY
};

/** What a rule set says about an opcode. */
interface Original {
  readonly name: string;
  readonly fee: number;
  readonly handler: Handler;
  readonly gas: CustomOpcode["gasFunction"];
}

/** The opcodes that count work, or stop for others, in place of the EVM's own. Their gas is the same. */
export function pricedOpcodes(
  originals: ReadonlyMap<number, Original>,
  { work, pace }: { readonly work: Work; readonly pace: Pace },
): CustomOpcode[] {
  let jumps = 0;
  return [...originals].map(([opcode, { name, fee, handler, gas }]) => ({
    opcode,
    opcodeName: name,
    baseFee: fee,
    ...(gas && { gasFunction: gas }),
    logicFunction:
      opcode === JUMPDEST
        ? async () => {
            jumps += 1;
            if (jumps % JUMPS === 0) await pace();
          }
        : async (state, common) => {
            chargeFor(opcode, state, work);
            await pace();
            await handler(state, common);
          },
  }));
}

function chargeFor(opcode: number, { stack }: RunState, work: Work): void {
  const price = byLength[opcode];
  if (price === undefined) {
    work.log();
    return;
  }
  // Its gas is paid, so the length is small.
  const length = Number(stack.peek(price.item).at(-1) ?? 0n);
  work.charge(price.base + price.word * Math.ceil(length / 32));
}

/** The opcodes of a rule set for which {@link pricedOpcodes} has another. */
export function originalOpcodes(common: Common): ReadonlyMap<number, Original> {
  const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(common);
  const wanted = [JUMPDEST, ...LOGS, ...Object.keys(byLength).map(Number)];
  const found = new Map<number, Original>();
  for (const code of wanted) {
    const opcode = opcodes.get(code);
    const handler = handlers.get(code);
    if (opcode === undefined || handler === undefined) continue;
    const { name, fee, dynamicGas } = opcode;
    const gas = dynamicGas ? dynamicGasHandlers.get(code) : undefined;
    found.set(code, { name, fee, handler, gas });
  }
  return found;
}
