import { FunctionFragment, type ParamType } from "ethers";

import type { IntentId } from "../../protocol/ids.ts";
import {
  type Domain,
  type DomainGroup,
  DomainRefusal,
  type Json,
} from "../../domains/domain.ts";
import { parseEntry } from "../../api/abi/parse-abi.ts";
import { signatureOf } from "../../api/abi/signature.ts";
import type { Random } from "../random.ts";
import type { DrawCall, DrawnCall, Trial } from "./trial.ts";

/** How often another call is drawn if the domain refuses one. */
const ATTEMPTS_MAX = 50;
/** The last intents of a run whose ids calls may name. */
const REMEMBERED = 20;
const accounts = ["a", "b", "c"];

/** Nothing that the domain takes could be drawn. */
export class CallsNotDrawn extends Error {
  override readonly name = "CallsNotDrawn";
}

/** Lets users call the functions of a domain with arguments drawn by their types. Nothing is known of what should come of it. */
export function trialFromAbi(domain: Domain): Trial {
  return {
    domain,
    configure: () => ({}),
    drawCalls: (group) => drawFrom(domain, group),
  };
}

function drawFrom(domain: Domain, group: DomainGroup): DrawCall {
  const functions = domain.abi
    .map(parseEntry)
    .filter((fragment) => fragment instanceof FunctionFragment)
    .filter(({ constant }) => !constant);
  const known: IntentId[] = [];
  return (random, { id, node }) => {
    let refusal = "it has no function that changes states";
    for (let i = 0; i < ATTEMPTS_MAX && functions.length > 0; i++) {
      const fragment = random.pick(functions);
      const args: Record<string, Json> = {};
      for (const input of fragment.inputs)
        args[input.name] = drawValue(input, random, known);
      const signature = signatureOf(fragment);
      const call: DrawnCall = { from: random.pick(accounts), signature, args };
      try {
        domain.check({ ...call, group, node });
      } catch (error) {
        if (!(error instanceof DomainRefusal)) throw error;
        refusal = error.message;
        continue;
      }
      known.push(id);
      if (known.length > REMEMBERED) known.shift();
      return call;
    }
    throw new CallsNotDrawn(
      `None of ${ATTEMPTS_MAX} calls with arguments drawn by their types was accepted: ${refusal}`,
    );
  };
}

/** As a node gives values to a domain. */
function drawValue(
  type: ParamType,
  random: Random,
  known: readonly IntentId[],
): Json {
  if (type.arrayChildren !== null) {
    const { arrayChildren: item, arrayLength } = type;
    const length =
      arrayLength === null || arrayLength < 0 ? random.below(3) : arrayLength;
    return Array.from({ length }, () => drawValue(item, random, known));
  }
  if (type.components !== null)
    return Object.fromEntries(
      type.components.map((part) => [
        part.name,
        drawValue(part, random, known),
      ]),
    );
  if (type.type === "bool") return random.chance(0.5);
  if (type.type === "string") return random.pick(accounts);
  if (/^u?int/.test(type.type)) return String(random.between(1, 100));
  if (type.type === "address") return hexOf(random, 20);
  // Ids of things are often those of the intents that created them.
  if (type.type === "bytes32" && known.length > 0 && random.chance(0.9))
    return random.pick(known);
  const length = /^bytes(\d+)$/.exec(type.type)?.[1] ?? random.below(33);
  return hexOf(random, Number(length));
}

function hexOf(random: Random, length: number): string {
  const bytes = Array.from({ length }, () =>
    random.below(256).toString(16).padStart(2, "0"),
  );
  return `0x${bytes.join("")}`;
}
