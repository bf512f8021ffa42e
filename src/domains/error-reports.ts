import { createRecent, recall, remember } from "../protocol/recent.ts";

/** Errors that are told apart, at most. More have a reason in receipts, and no line of their own. */
const PLACES_MAX = 64;
/** Lines of a stack that are told, and characters of each. */
const FRAMES_MAX = 12;
const FRAME_LENGTH_MAX = 200;

/** Where an error came from: the frames of its stack alone, since its message may be private. */
export function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || error.stack === undefined) return [];
  return error.stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .slice(0, FRAMES_MAX)
    .map((line) => line.slice(0, FRAME_LENGTH_MAX));
}

/** Remembers which errors were told: an error that comes from the same place again is not told again. */
export class ErrorReports {
  readonly #told = createRecent<string, true>(PLACES_MAX);

  /** True for an error that was not seen before. */
  isNew(domain: string, method: string, error: unknown): boolean {
    const [place = ""] = framesOf(error);
    const name = error instanceof Error ? error.name : typeof error;
    const key = `${domain} ${method} ${name} ${place}`;
    if (recall(this.#told, key) === true) return false;
    remember(this.#told, key, true);
    return true;
  }
}
