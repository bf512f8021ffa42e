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

/** The rest of a statement that begins with `SELECT … FROM …`; what users wrote is only in the values. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
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

/** Turns a query into SQL over the given fields. `order` is for queries that do not say one, and breaks ties. */
export function toClause(
  query: Query,
  {
    fields,
    where,
    order,
  }: {
    readonly fields: Fields;
    /** What must hold besides. */
    readonly where?: Clause | undefined;
    readonly order: string;
  },
): Clause {
  const builder = new Builder(fields);
  const condition = builder.all(query);
  const sort = [
    ...(query.sort ?? []).map((term) => sortTerm(fields, term)),
    order,
  ];
  return {
    sql: `WHERE (${where?.sql ?? "TRUE"}) AND ${condition} ORDER BY ${sort.join(", ")} LIMIT ?`,
    values: [
      ...(where?.values ?? []),
      ...builder.values,
      Math.min(query.limit, limitMax),
    ],
  };
}

/** Collects values in the order of their question marks. */
class Builder {
  readonly #fields: Fields;
  readonly values: Value[] = [];
  #count = 0;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  all(statements: Statements): string {
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
    if (++this.#count > comparisonsMax)
      throw new QueryError(`More than ${comparisonsMax} comparisons`);
    const field = fieldOf(this.#fields, comparison.field);
    const term = this.#compare(operator, field, comparison);
    return comparison.not === true ? `NOT (${term})` : term;
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
