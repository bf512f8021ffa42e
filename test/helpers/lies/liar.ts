import { messageShape, wireVersion } from "../../../src/protocol/codec.ts";
import { limits } from "../../../src/protocol/limits.ts";
import { type Shape, sketchOf } from "../../../src/protocol/shape.ts";
import {
  type Body,
  decodeBody,
  plainBodyShape,
} from "../../../src/node/body.ts";
import type { Random } from "../random.ts";
import { createValues } from "./values.ts";
import { Vocabulary } from "./vocabulary.ts";

/** A member with real keys that says what it likes: most of it well-formed, much of it almost true. */
export interface Liar {
  /** It heard something that honest nodes say: words to lie with. */
  readonly hear: (bodies: string) => void;
  /** The next lie. */
  readonly lie: () => string;
  /** A well-formed lie of one type, made from nothing but the words that it knows. */
  readonly make: (type: string) => string;
  /** Something that was said, with a part of it changed; undefined if it heard nothing of that type. */
  readonly twist: (type?: string) => string | undefined;
}

interface Ports {
  readonly random: Random;
  /** Endorses a digest as the liar: what it signs is its own. */
  readonly sign: (digest: string) => string;
  /** The digest of a bundle in a group, if it is one at all. */
  readonly digestOf: (group: string, bundle: unknown) => string | undefined;
}

/** Bodies of one type that it remembers. */
const SAMPLES = 100;

/** All types of messages and of bodies around them. */
export const lieTypes: readonly string[] = [
  ...Object.keys(kindsOf(messageShape)),
  ...Object.keys(kindsOf(plainBodyShape)),
];

/** A member of groups that knows all that is said in them. */
export function createLiar(
  options: {
    readonly groups: readonly string[];
    readonly names: readonly string[];
  },
  { random, sign, digestOf }: Ports,
): Liar {
  const { groups } = options;
  const samples = new Map<string, Body[]>();
  let group = random.pick(groups);
  const vocabulary = new Vocabulary(options, { random });
  const values = createValues({
    random,
    vocabulary,
    believable: (value) => {
      const changed = { ...value };
      // Nonsense with the right digest, and a digest with the right signature, get further.
      if ("steps" in changed && "digest" in changed && random.chance(0.7))
        changed["digest"] = digestOf(group, changed) ?? changed["digest"];
      if ("digest" in changed && "signature" in changed && random.chance(0.5))
        changed["signature"] = sign(String(changed["digest"]));
      return changed;
    },
  });

  const wire = (
    shape: Shape<unknown>,
    lie: unknown,
    version: unknown = wireVersion,
  ): string =>
    shape === messageShape
      ? group + JSON.stringify({ version, message: lie })
      : JSON.stringify(lie);
  const make = (type: string): string => {
    group = random.pick(groups);
    for (const shape of [messageShape, plainBodyShape]) {
      const kind = kindsOf(shape)[type];
      if (kind !== undefined) return wire(shape, values.make(kind));
    }
    throw new Error(`No message and no body has the type ${type}.`);
  };
  const twist = (
    type = random.pick([...samples.keys(), ""]),
  ): string | undefined => {
    const heard = samples.get(type);
    if (heard === undefined) return undefined;
    const body = random.pick(heard);
    if (body.type !== "message")
      return wire(plainBodyShape, values.twist(plainBodyShape, body));
    group = body.group;
    return wire(messageShape, values.twist(messageShape, body.message));
  };
  const anything = (): string => make(random.pick(lieTypes));
  const broken = brokenLies(random, { anything, groups });

  return {
    make,
    twist,
    hear: (bodies) => {
      const decoded = decodeBody(random.pick(bodies.split("\n")));
      if (decoded.type === "dropped") return;
      const { body } = decoded;
      if (body.type === "message") values.hear(messageShape, body.message);
      else values.hear(plainBodyShape, body);
      const type = body.type === "message" ? body.message.type : body.type;
      const heard = samples.get(type) ?? [];
      samples.set(type, heard);
      if (heard.length < SAMPLES) heard.push(body);
      else heard[random.below(SAMPLES)] = body;
    },
    lie: () => {
      const kind = random.below(10);
      if (kind === 0) return random.pick(broken)();
      return kind < 6 ? (twist() ?? anything()) : anything();
    },
  };
}

/** What no honest node could say. */
function brokenLies(
  random: Random,
  {
    anything,
    groups,
  }: { readonly anything: () => string; readonly groups: readonly string[] },
): readonly (() => string)[] {
  const poisons = groups.flatMap((group) => [
    '{"__proto__":{"polluted":true},"type":"ask"}',
    '{"type":"__proto__"}',
    '{"type":"constructor","group":{}}',
    `${group}{"version":${wireVersion},"message":{"type":"toString"}}`,
    `${group}{"version":${wireVersion},"message":{"type":"Bribe"}}`,
    `${group}{"version":${wireVersion},"message":{"__proto__":{"type":"HandoverAck","key":"k"}}}`,
    `${group}{"version":${wireVersion},"__proto__":{"polluted":true},"message":{"type":"HandoverAck","key":"k","constructor":{"prototype":{"polluted":true}}}}`,
    `${group}{"version":{"__proto__":1},"message":null}`,
    `${group}[[[[[[[[]]]]]]]]`,
    `${group}${"[".repeat(20_000)}`,
  ]);
  const stranger = `0x${"12".repeat(20)}`;
  return [
    () => random.pick(poisons),
    () => {
      const lie = anything();
      const at = random.below(lie.length);
      const letter = random.pick(["", "}", '"', "\u0000", "9"]);
      return lie.slice(0, at) + letter + lie.slice(at + 1);
    },
    () => anything().replace(/"version":\d+/, '"version":99'),
    () => anything().replace(/^0x[0-9a-f]{40}/, stranger),
    () =>
      random.chance(0.05)
        ? `"${"x".repeat(limits.messageBytes)}`
        : String.fromCharCode(
            ...Array.from({ length: 40 }, () => random.below(65_536)),
          ),
  ];
}

function kindsOf(
  shape: Shape<unknown>,
): Readonly<Record<string, Shape<object>>> {
  const sketch = sketchOf(shape);
  if (sketch?.kind !== "union") throw new Error("It has no types.");
  return sketch.kinds;
}
