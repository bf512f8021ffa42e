import type { Value } from "./database.ts";

/** A comparison of a field with a value, or with several. */
export interface Comparison {
  readonly field: string;
  readonly value?: unknown;
  readonly values?: readonly unknown[] | undefined;
  readonly not?: boolean | undefined;
  readonly caseInsensitive?: boolean | undefined;
}

export const comparisons = [
  "equal",
  "eq",
  "neq",
  "like",
  "lessThan",
  "lt",
  "lessThanOrEqual",
  "lte",
  "greaterThan",
  "gt",
  "greaterThanOrEqual",
  "gte",
  "in",
  "nin",
  "null",
] as const;

type Operator = (typeof comparisons)[number];

/** Comparisons that must all hold, and alternatives of which one must. */
export type Statements = Readonly<
  Partial<Record<Operator, readonly Comparison[] | undefined>>
> & { readonly or?: readonly Statements[] | undefined };

/** What users write to find something. */
export type Query = Statements & {
  readonly limit: number;
  readonly sort?: readonly string[] | undefined;
};

/** A field that users may ask for: where it is, and how what they write becomes what it holds. */
export interface Field {
  readonly column: string;
  /** Undefined if the value makes no sense for the field. */
  readonly read: (value: unknown) => Value | undefined;
}

export type Fields = Readonly<Record<string, Field>>;

/** A part of a statement; what users wrote is only in the values. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Which rows a user wants, in which order, and how many. */
export interface Condition extends Clause {
  /** Terms of an ORDER BY; none means that the newest come first. */
  readonly sort: readonly string[];
  readonly limit: number;
}

/** The user's query makes no sense. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** Comparisons in one query: more are no question but an attack. */
const comparisonsMax = 100;
/** Rows that one query gives. */
const limitMax = 1_000;
/** SQLite tries every way to match what stands for anything. */
const wildcardsMax = 8;
/** Values in all lists of one query: they are read again for every window of rows. */
const choicesMax = 1_000;
/** Characters of a value: no field holds more. */
const valueLengthMax = 1_024;

/** Turns a query into a condition over the given fields. */
export function toCondition(
  query: Query,
  {
    fields,
    where,
  }: {
    readonly fields: Fields;
    /** What must hold besides. */
    readonly where?: Clause | undefined;
  },
): Condition {
  const builder = new Builder(fields);
  const condition = builder.all(query);
  return {
    sql: `(${where?.sql ?? "TRUE"}) AND ${condition}`,
    values: [...(where?.values ?? []), ...builder.values],
    sort: (query.sort ?? []).map((term) => sortTerm(fields, term)),
    limit: Math.min(query.limit, limitMax),
  };
}

/** Collects values in the order of their question marks. */
class Builder {
  readonly #fields: Fields;
  readonly values: Value[] = [];
  #count = 0;
  #choices = 0;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  all(statements: Statements): string {
    this.#countOne();
    const terms = comparisons.flatMap((operator) =>
      (statements[operator] ?? []).map((comparison) =>
        this.#term(operator, comparison),
      ),
    );
    const { or = [] } = statements;
    if (or.length > 0)
      terms.push(`(${or.map((child) => this.all(child)).join(" OR ")})`);
    return terms.length === 0 ? "TRUE" : `(${terms.join(" AND ")})`;
  }

  #term(operator: Operator, comparison: Comparison): string {
    this.#countOne();
    const field = fieldOf(this.#fields, comparison.field);
    const term = this.#compare(operator, field, comparison);
    return comparison.not === true ? `NOT (${term})` : term;
  }

  /** Alternatives count too. */
  #countOne(): void {
    if (++this.#count > comparisonsMax + 1)
      throw new QueryError(
        `The query has more than ${comparisonsMax} comparisons. Ask in several queries`,
      );
  }

  #compare(operator: Operator, field: Field, comparison: Comparison): string {
    const collate =
      comparison.caseInsensitive === true ? " COLLATE NOCASE" : "";
    const column = `${field.column}${collate}`;
    const single = (symbol: string): string => {
      this.values.push(read(field, comparison.field, comparison.value));
      return `${column} ${symbol} ?`;
    };
    switch (operator) {
      case "equal":
      case "eq":
        return single("=");
      case "neq":
        return single("<>");
      case "lessThan":
      case "lt":
        return single("<");
      case "lessThanOrEqual":
      case "lte":
        return single("<=");
      case "greaterThan":
      case "gt":
        return single(">");
      case "greaterThanOrEqual":
      case "gte":
        return single(">=");
      case "in":
      case "nin": {
        this.#choices += comparison.values?.length ?? 0;
        if (this.#choices > choicesMax)
          throw new QueryError(
            `The lists of the query have more than ${choicesMax} values. Ask in several queries`,
          );
        const values = (comparison.values ?? []).map((value) =>
          read(field, comparison.field, value),
        );
        this.values.push(JSON.stringify(values));
        return `${column} ${operator === "in" ? "IN" : "NOT IN"} (SELECT value FROM json_each(?))`;
      }
      case "null":
        return `${field.column} IS NULL`;
      case "like":
        return this.#like(field, comparison);
    }
  }

  #like(field: Field, { value, caseInsensitive }: Comparison): string {
    if (typeof value !== "string" || value.length > 256)
      throw new QueryError("like takes a text of at most 256 characters");
    if ((value.match(/%/g) ?? []).length > wildcardsMax)
      throw new QueryError(`like takes at most ${wildcardsMax} times %`);
    this.values.push(caseInsensitive === true ? value : toGlob(value));
    return caseInsensitive === true
      ? `${field.column} LIKE ?`
      : `${field.column} GLOB ?`;
  }
}

/** SQLite's LIKE does not tell upper from lower case, its GLOB does. */
function toGlob(pattern: string): string {
  return pattern
    .replaceAll(/[*?[]/g, (character) => `[${character}]`)
    .replaceAll("%", "*")
    .replaceAll("_", "?");
}

function read(field: Field, name: string, value: unknown): Value {
  if (typeof value === "string" && value.length > valueLengthMax)
    throw new QueryError(
      `${name} cannot be compared with a text of ${value.length} characters; ${valueLengthMax} are allowed`,
    );
  const result = field.read(value);
  if (result === undefined)
    throw new QueryError(
      `${name} cannot be compared with ${JSON.stringify(value)}`,
    );
  return result;
}

function fieldOf(fields: Fields, name: string): Field {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined)
    throw new QueryError(
      `There is no field ${name}; there are ${Object.keys(fields).join(", ")}`,
    );
  return field;
}

function sortTerm(fields: Fields, term: string): string {
  const match = /^(-?)(\w+)(?: (asc|desc))?$/i.exec(term.trim());
  const [, minus, name = term, direction] = match ?? [];
  const isDown = minus === "-" || direction?.toLowerCase() === "desc";
  return `${fieldOf(fields, name).column} ${isDown ? "DESC" : "ASC"}`;
}
