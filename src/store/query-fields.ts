import type { Field } from "./query.ts";

/** Text as it is. */
export function textField(column: string): Field {
  return {
    column,
    read: (value) => (typeof value === "string" ? value : undefined),
  };
}

/** Hexadecimal digits and ids, which are kept in lower case. */
export function hexField(column: string): Field {
  return {
    column,
    read: (value) =>
      typeof value === "string" ? value.toLowerCase() : undefined,
  };
}

/** Numbers, also as decimal or hexadecimal text. */
export function numberField(column: string): Field {
  return {
    column,
    read: (value) => {
      const number =
        typeof value === "number" || isNumeral(value) ? Number(value) : NaN;
      return Number.isSafeInteger(number) ? number : undefined;
    },
  };
}

/** True and false, which are kept as 1 and 0. */
export function booleanField(column: string): Field {
  return {
    column,
    read: (value) =>
      value === true || value === "true"
        ? 1
        : value === false || value === "false"
          ? 0
          : undefined,
  };
}

/** Times as ISO text or in milliseconds, which are kept as {@link timestamp} writes them. */
export function timeField(column: string): Field {
  return {
    column,
    read: (value) => {
      if (typeof value !== "string" && typeof value !== "number")
        return undefined;
      const date = new Date(value);
      return Number.isNaN(date.getTime())
        ? undefined
        : timestamp(date.getTime());
    },
  };
}

/** RFC 3339 in UTC with nanoseconds. All have the same length, so that they sort like the times. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
}

function isNumeral(value: unknown): boolean {
  return typeof value === "string" && /^(\d+|0x[\da-f]+)$/i.test(value);
}
