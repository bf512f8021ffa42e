import type {
  Assembly,
  Domain,
  DomainState,
  Json,
  NewState,
} from "../../domains/domain.ts";
import type { Intent } from "../../protocol/transition.ts";
import type { Random } from "../random.ts";

type Assembled = Extract<Assembly, { readonly type: "assembled" }>;

/** What a cheat has to work with. */
interface Means {
  readonly random: Random;
  /** States that the cheat's node sees. */
  readonly known: readonly DomainState[];
}

type Cheat = (honest: Assembled, means: Means) => Assembled;

/** How often a sender that lies tries to cheat in one way or the other. */
const share = 0.2;

/** A domain with the assemblies of a sender who hopes that nobody looks. He signs them as he signs honest ones. */
export function cheating(
  domain: Domain,
  random: Random,
  known: () => readonly DomainState[],
): Domain {
  return {
    ...domain,
    assemble: async (intent, view) => {
      const assembly = await domain.assemble(intent, view);
      return assembly.type === "assembled" && random.chance(share)
        ? random.pick(cheats)(assembly, { random, known: known() })
        : assembly;
    },
  };
}

/** Intents with what others asked for, perhaps somebody on another node. */
export function inOtherNames(
  intents: readonly Intent[],
  payloads: readonly string[],
  random: Random,
): readonly Intent[] {
  return intents.map((intent) =>
    random.chance(share)
      ? { ...intent, payload: random.pick(payloads) }
      : intent,
  );
}

const cheats: readonly Cheat[] = [
  spendOthers,
  spendLess,
  readInstead,
  createMore,
  createLess,
  createTwice,
  createForOthers,
  tellNothing,
];

/** Spends what others own, or what is no coin. */
function spendOthers(honest: Assembled, { random, known }: Means): Assembled {
  if (known.length === 0) return honest;
  const inputs = honest.inputs.map(() => random.pick(known).id);
  return { ...honest, inputs: [...new Set(inputs)] };
}

function spendLess(honest: Assembled): Assembled {
  return { ...honest, inputs: honest.inputs.slice(1) };
}

/** Uses a state, and keeps it. */
function readInstead(honest: Assembled): Assembled {
  const { inputs, reads } = honest;
  return {
    ...honest,
    inputs: inputs.slice(1),
    reads: [...reads, ...inputs.slice(0, 1)],
  };
}

function createMore(honest: Assembled, { random }: Means): Assembled {
  const enlarge = (state: NewState): NewState => ({
    ...state,
    data: replace(state.data, enlargeNumber),
  });
  const chosen = random.below(honest.outputs.length);
  const outputs = honest.outputs.map((output, i) =>
    i === chosen ? enlarge(output) : output,
  );
  return { ...honest, outputs };
}

/** Numbers are written in decimal or, if they are words of storage, in hexadecimal digits; longer ones are hashes. */
function enlargeNumber(text: string): string {
  if (/^[0-9]+$/.test(text)) return String(BigInt(text) + 7n);
  return /^0x[0-9a-f]{1,16}$/.test(text)
    ? `0x${(BigInt(text) + 7n).toString(16)}`
    : text;
}

function createLess(honest: Assembled): Assembled {
  return { ...honest, outputs: honest.outputs.slice(1) };
}

function createTwice(honest: Assembled): Assembled {
  return { ...honest, outputs: honest.outputs.flatMap((one) => [one, one]) };
}

/** Gives to somebody else than the intent says. */
function createForOthers(
  honest: Assembled,
  { random, known }: Means,
): Assembled {
  if (known.length === 0) return honest;
  const { label } = random.pick(known);
  const outputs = honest.outputs.map((output) => ({
    ...output,
    label,
    data: replace(output.data, (text) =>
      text === output.label ? label : text,
    ),
  }));
  return { ...honest, outputs };
}

function tellNothing(honest: Assembled): Assembled {
  return { ...honest, infos: [] };
}

/** The same data with other texts in it. */
function replace(data: Json, by: (text: string) => string): Json {
  if (typeof data === "string") return by(data);
  if (typeof data !== "object" || data === null) return data;
  return Array.isArray(data)
    ? data.map((part: Json) => replace(part, by))
    : Object.fromEntries(
        Object.entries(data).map(([key, part]) => [key, replace(part, by)]),
      );
}
