import type { z } from "zod/v4";

import type { Api } from "./api.ts";
import type { Session } from "./session.ts";

/** What a method gets besides its parameters. */
export interface Context {
  readonly api: Api;
  /** The WebSocket that asks; undefined over HTTP. */
  readonly session: Session | undefined;
}

/** A method that is answered also while no API is served must not use it. */
export function contextOf(
  api: Api | undefined,
  session: Session | undefined,
): Context {
  return {
    get api() {
      if (api === undefined) throw new Error("No API is served.");
      return api;
    },
    session,
  };
}

/** One parameter: its place is that in the list. */
export interface Param {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** A method of the server, as dispatcher and documentation see it. */
export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly Param[];
  readonly result: z.ZodType;
  /** Works over WebSocket only. */
  readonly isSocketOnly: boolean;
  /** There is no answer, not even an error. */
  readonly isSilent: boolean;
  /** Throws a {@link BadParam} for what does not fit the schema. */
  readonly run: (params: readonly unknown[], context: Context) => unknown;
}

/** Names and schemas, in the order of the parameters. */
type Shape = Readonly<Record<string, z.ZodType>>;

/** Declares a method. What `run` gets and gives has the types of the schemas. */
export function method<
  Params extends Shape,
  Result extends z.ZodType,
>(declaration: {
  readonly name: string;
  readonly summary: string;
  readonly params: Params;
  readonly result: Result;
  readonly isSocketOnly?: boolean;
  readonly isSilent?: boolean;
  readonly run: (
    params: { readonly [Name in keyof Params]: z.output<Params[Name]> },
    context: Context,
  ) => z.input<Result> | Promise<z.input<Result>>;
}): Method {
  const { params, run } = declaration;
  const list = Object.entries(params).map(([name, schema]) => ({
    name,
    schema,
  }));
  return {
    name: declaration.name,
    summary: declaration.summary,
    params: list,
    result: declaration.result,
    isSocketOnly: declaration.isSocketOnly ?? false,
    isSilent: declaration.isSilent ?? false,
    run: (values, context) =>
      run(parseAll(list, values) as Parameters<typeof run>[0], context),
  };
}

function parseAll(
  params: readonly Param[],
  values: readonly unknown[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    params.map(({ name, schema }, index) => [
      name,
      parseOne(name, schema, values[index]),
    ]),
  );
}

function parseOne(name: string, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BadParam(
    [name, ...(issue?.path ?? []).map(String)].join("."),
    issue?.message ?? "Invalid",
  );
}

/** A parameter is not what its schema says. */
export class BadParam extends Error {
  override readonly name = "BadParam";
  /** Of problems that have one of their own. */
  readonly key: string | undefined;

  constructor(path: string, problem: string) {
    const key = /^PD\d{6}(?=: )/.exec(problem)?.[0];
    super(key === undefined ? `${path}: ${problem}` : problem);
    this.key = key;
  }
}
