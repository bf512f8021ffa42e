import { parseStateId } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";
import type { Assembly, NewState, PublicCall } from "./domain.ts";

/** A domain answered with something that has no meaning. The message says what, for its author. */
export class DomainNonsense extends Error {
  override readonly name = "DomainNonsense";
}

type Assembled = Extract<Assembly, { readonly type: "assembled" }>;

/** Reads what a domain says an intent comes to. Throws a {@link DomainNonsense} if that is not an {@link Assembly}. */
export function readAssembly(value: unknown): Assembly {
  const { type, ...rest } = recordOf(value, "It");
  switch (type) {
    case "assembled":
      return readAssembled(rest);
    case "reverted":
    case "parked":
      return {
        type,
        reason: textOf(rest["reason"], "reason").slice(0, limits.reasonBytes),
      };
    default:
      throw new DomainNonsense(
        `type must be "assembled", "reverted" or "parked", but is ${kindOf(type)}.`,
      );
  }
}

function readAssembled(fields: Readonly<Record<string, unknown>>): Assembled {
  return {
    type: "assembled",
    inputs: listOf(fields["inputs"], "inputs").map(readId("inputs")),
    reads: listOf(fields["reads"], "reads").map(readId("reads")),
    outputs: listOf(fields["outputs"], "outputs").map(readState("outputs")),
    infos: listOf(fields["infos"] ?? [], "infos").map(readState("infos")),
    calls: listOf(fields["calls"] ?? [], "calls").map(readCall),
  };
}

const readId = (list: string) => (value: unknown, index: number) => {
  const id = parseStateId(value);
  if (id === undefined)
    throw new DomainNonsense(
      `${list}[${index}] must be the id of a state, but is ${kindOf(value)}.`,
    );
  return id;
};

const readState =
  (list: string) =>
  (value: unknown, index: number): NewState => {
    const at = `${list}[${index}]`;
    const { schema, label, data } = recordOf(value, at);
    if (data === undefined)
      throw new DomainNonsense(`${at}.data must be JSON, but is missing.`);
    return {
      schema: textOf(schema, `${at}.schema`),
      label: textOf(label, `${at}.label`),
      // What is not JSON after all cannot be written down, and fails there.
      data: data as NewState["data"],
    };
  };

function readCall(value: unknown, index: number): PublicCall {
  const at = `calls[${index}]`;
  const { target, data, gasMin } = recordOf(value, at);
  if (typeof target !== "string" || !/^0x[0-9a-f]{40}$/i.test(target))
    throw new DomainNonsense(
      `${at}.target must be an address, but is ${kindOf(target)}.`,
    );
  if (typeof data !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(data))
    throw new DomainNonsense(
      `${at}.data must be bytes as hexadecimal digits, but is ${kindOf(data)}.`,
    );
  if (!Number.isSafeInteger(gasMin) || Number(gasMin) < 0)
    throw new DomainNonsense(
      `${at}.gasMin must be a whole number from 0, but is ${kindOf(gasMin)}.`,
    );
  return { target, data, gasMin: Number(gasMin) };
}

function recordOf(
  value: unknown,
  name: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DomainNonsense(
      `${name} must be an object, but is ${kindOf(value)}.`,
    );
  return value as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value))
    throw new DomainNonsense(
      `${name} must be a list, but is ${kindOf(value)}.`,
    );
  return value;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string")
    throw new DomainNonsense(`${name} must be text, but is ${kindOf(value)}.`);
  return value;
}

/** What kind of value it is. Never the value itself: it may be private. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
