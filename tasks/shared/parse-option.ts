import { SequencerError } from "../../src/plugin/errors.ts";

/** A whole number, as typed; undefined if it was not given. */
export function parseNumber(
  name: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max))
    throw new SequencerError("NUMBER_INVALID", { name, value: text, min, max });
  return value;
}

/** One of a few words; undefined if it was not given. */
export function parseChoice<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined;
  const choice = choices.find((known) => known === text);
  if (choice === undefined)
    throw new SequencerError("CHOICE_INVALID", {
      name,
      value: text,
      choices: choices.join(", "),
    });
  return choice;
}
