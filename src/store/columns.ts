import { count, type Shape } from "../protocol/shape.ts";
import type { Row } from "./database.ts";
import { corrupt, type StoreError } from "./store-error.ts";

/** Reads the columns of one row. What nobody can have written there is an error that names the table and the row. */
export class Columns {
  readonly #table: string;
  readonly #key: string;
  readonly #row: Row;

  constructor(
    row: Row,
    where: { readonly table: string; readonly key: string },
  ) {
    this.#row = row;
    this.#table = where.table;
    this.#key = where.key;
  }

  text(name: string): string {
    return this.read(name, (value) =>
      typeof value === "string" ? value : undefined,
    );
  }

  count(name: string): number {
    return this.read(name, count);
  }

  flag(name: string): boolean {
    return this.read(name, (value) =>
      value === 0 || value === 1 ? value === 1 : undefined,
    );
  }

  isNull(name: string): boolean {
    return this.#row[name] === null;
  }

  read<Value>(name: string, shape: Shape<Value>): Value {
    const value = shape(this.#row[name]);
    if (value === undefined) throw this.corrupt(`its ${name} makes no sense`);
    return value;
  }

  json<Value>(name: string, shape: Shape<Value>): Value {
    const text = this.text(name);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      throw this.corrupt(`its ${name} is no JSON`);
    }
    const value = shape(parsed);
    if (value === undefined) throw this.corrupt(`its ${name} makes no sense`);
    return value;
  }

  corrupt(problem: string): StoreError {
    return corrupt(this.#table, this.#key, problem);
  }
}
