import { z } from "zod/v4";

import type { Query, Statements } from "../../../store/query.ts";
import { hasMoreParts } from "../../count-parts.ts";
import { list, unless } from "./basics.ts";

const comparison = z.object({
  field: z.string().max(64),
  not: z.boolean().nullish().transform(orUndefined),
  caseInsensitive: z.boolean().nullish().transform(orUndefined),
});

const single = z
  .array(comparison.extend({ value: z.unknown() }))
  .optional()
  .meta({ id: "Comparisons", description: "Fields with a value each" });
const several = z
  .array(comparison.extend({ values: list(z.unknown(), { max: 1_000 }) }))
  .optional()
  .meta({ id: "Choices", description: "Fields with a list of values each" });
const none = z
  .array(comparison)
  .optional()
  .meta({ id: "FieldNames", description: "Fields without a value" });

const operators = {
  equal: single,
  eq: single,
  neq: single,
  like: single,
  lessThan: single,
  lt: single,
  lessThanOrEqual: single,
  lte: single,
  greaterThan: single,
  gt: single,
  greaterThanOrEqual: single,
  gte: single,
  in: several,
  nin: several,
  null: none,
};

const statements: z.ZodType<Statements> = z
  .strictObject({
    ...operators,
    get or() {
      return list(statements, { max: 100 }).optional();
    },
  })
  .meta({ id: "Statements", description: "Comparisons that must all hold" });

/** Values, lists and objects in one query: all that its own limits allow. */
const partsMax = 8_192;

/** What to look for. */
export const query: z.ZodType<Query> = unless(
  (value) => hasMoreParts(value, partsMax),
  `PD010700: The query has more than ${partsMax} parts. Ask in several queries`,
  z
    .strictObject({
      ...operators,
      or: list(statements, { max: 100 }).optional(),
      limit: z
        .int("PD010721: limit is required")
        .positive("PD010721: limit must be positive"),
      sort: list(z.string().max(64), { max: 8 })
        .nullish()
        .transform(orUndefined),
    })
    .meta({
      id: "Query",
      description:
        "Comparisons that must all hold, `or` with alternatives, `sort` and a `limit`",
    }),
);

function orUndefined<Value>(
  value: Value | null | undefined,
): Value | undefined {
  return value ?? undefined;
}
