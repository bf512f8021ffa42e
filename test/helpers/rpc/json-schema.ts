/** The part of JSON Schema that the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const known = new Set([
  "$ref",
  "type",
  "const",
  "enum",
  "anyOf",
  "properties",
  "required",
  "additionalProperties",
  "propertyNames",
  "items",
  "pattern",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "description",
  "readOnly",
]);

export type Schemas = Readonly<Record<string, unknown>>;

/** What is wrong with a value, first of all; undefined if nothing is. */
export function findMismatch(
  value: unknown,
  written: unknown,
  schemas: Schemas,
  path = "$",
): string | undefined {
  const schema = written as Schema;
  for (const key of Object.keys(schema))
    if (!known.has(key)) return `${path}: nobody knows what ${key} means`;
  const { $ref, anyOf, pattern = "" } = schema;
  if ($ref !== undefined) {
    const name = $ref.replace("#/components/schemas/", "");
    if (!Object.hasOwn(schemas, name)) return `${path}: there is no ${$ref}`;
    return findMismatch(value, schemas[name], schemas, path);
  }
  if (anyOf !== undefined) {
    const found = anyOf.map((one) => findMismatch(value, one, schemas, path));
    return found.includes(undefined) ? undefined : found.join(" or ");
  }
  if ("const" in schema && value !== schema.const) return `${path}: ${pattern}`;
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${path} is none of ${schema.enum.join()}`;
  if (schema.type !== undefined && !isOfType(value, schema.type))
    return `${path} is no ${schema.type}: ${JSON.stringify(value)}`;
  if (typeof value === "string") return textMismatch(value, schema, path);
  if (typeof value === "number") return numberMismatch(value, schema, path);
  if (Array.isArray(value)) return arrayMismatch(value, schema, schemas, path);
  if (typeof value === "object" && value !== null)
    return objectMismatch(
      new Map(Object.entries(value)),
      schema,
      schemas,
      path,
    );
  return undefined;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object")
    return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function textMismatch(
  value: string,
  { pattern, minLength = 0, maxLength = Infinity }: Schema,
  path: string,
): string | undefined {
  const fits =
    value.length >= minLength &&
    value.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(value));
  return fits ? undefined : `${path} does not fit: ${value}`;
}

function numberMismatch(
  value: number,
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum }: Schema,
  path: string,
): string | undefined {
  const fits =
    value >= minimum &&
    value <= maximum &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum);
  return fits ? undefined : `${path} does not fit: ${value}`;
}

function arrayMismatch(
  value: readonly unknown[],
  { items = {}, minItems = 0, maxItems = Infinity }: Schema,
  schemas: Schemas,
  path: string,
): string | undefined {
  if (value.length < minItems || value.length > maxItems)
    return `${path} has ${value.length} items`;
  return value
    .map((item, at) => findMismatch(item, items, schemas, `${path}[${at}]`))
    .find((problem) => problem !== undefined);
}

function objectMismatch(
  value: ReadonlyMap<string, unknown>,
  { properties = {}, required = [], additionalProperties = {} }: Schema,
  schemas: Schemas,
  path: string,
): string | undefined {
  const missing = required.find((name) => !value.has(name));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  for (const [name, part] of value) {
    const schema = Object.hasOwn(properties, name)
      ? properties[name]
      : additionalProperties;
    if (schema === false || schema === undefined)
      return `${path}.${name} should not be there`;
    const problem = findMismatch(part, schema, schemas, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
