import { withoutSecrets } from "../chain/client/secrets.ts";
import { monitorLimits } from "./limits.ts";

/** As long as a key, or longer: a key, a payload, a signature. */
const LONG_HEX = /(0x)?[0-9a-f]{64,}/gi;

/** A message of a parser quotes what it could not read, which may be private. */
const QUOTED_JSON = /[[{].*/su;

/** A text that may go into a log: one line, not long, without keys, payloads and what URLs hide. */
export function publicText(text: string): string {
  const plain = withoutSecrets(text)
    .replace(LONG_HEX, "(hex)")
    .replace(QUOTED_JSON, "(json)")
    .replace(/\s+/g, " ")
    .trim();
  const { textLength } = monitorLimits;
  return plain.length > textLength
    ? `${plain.slice(0, textLength - 1)}…`
    : plain;
}

/** What may be said of an error: its kind, its code, and its message as far as it is public. Never where it came from. */
export function publicError(error: unknown): {
  readonly error: string;
  readonly code?: string | number;
  readonly message?: string;
} {
  if (!(error instanceof Error)) return { error: typeof error };
  const code: unknown = Reflect.get(error, "code");
  const isCode =
    typeof code === "number" ||
    (typeof code === "string" && /^\w{1,64}$/.test(code));
  return {
    error: publicText(error.name),
    ...(isCode && { code }),
    // These quote what they could not read.
    ...(!(error instanceof SyntaxError) && {
      message: publicText(error.message),
    }),
  };
}
