/** The syntax tree of our contracts, as the compiler sees it: exact source ranges, no guessing with patterns. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

/** A node of solc's syntax tree. Everything beyond these two fields depends on the type of the node. */
export interface Node {
  readonly nodeType: string;
  /** `start:length:file`, in bytes. */
  readonly src: string;
  readonly [field: string]: unknown;
}

/** A contract file and its syntax tree. */
export interface Source {
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  readonly content: Buffer;
  readonly ast: Node;
}

/** A range of bytes in a source. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

interface CompilerOutput {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage: string;
  }[];
  readonly sources: Readonly<Record<string, { readonly ast: Node }>>;
}

interface Solc {
  compile(
    input: string,
    callbacks: { import(name: string): { contents: string } },
  ): string;
}

/** Reads and parses contract files of the project at `root`. */
export function parseContracts(
  root: string,
  files: readonly string[],
): Source[] {
  const solc = require("solc") as Solc;
  const read = (name: string): string => {
    const isOurs = !name.startsWith("@");
    return readFileSync(
      isOurs ? path.join(root, name) : require.resolve(name),
      "utf8",
    );
  };
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      files.map((file) => [file, { content: read(file) }]),
    ),
    settings: { outputSelection: { "*": { "": ["ast"] } } },
  };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (name) => ({ contents: read(name) }),
    }),
  ) as CompilerOutput;
  const errors = (output.errors ?? []).filter(
    ({ severity }) => severity === "error",
  );
  if (errors.length > 0)
    throw new Error(
      errors.map(({ formattedMessage }) => formattedMessage).join("\n"),
    );
  return files.map((file) => {
    const ast = output.sources[file]?.ast;
    if (ast === undefined) throw new Error(`The compiler did not read ${file}`);
    return { file, content: readFileSync(path.join(root, file)), ast };
  });
}

/** Visits a tree, parents before children; `ancestors` ends with the parent. */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: readonly Node[] = [],
): void {
  visit(node, ancestors);
  const path = [...ancestors, node];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) walk(child, visit, path);
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" &&
    value !== null &&
    "nodeType" in value &&
    "src" in value
  );
}

/** The node in a field, if there is one. */
export function child(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** The nodes in a field that holds a list. */
export function children(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text in a field, or the empty string. */
export function text(node: Node, field: string): string {
  const value = node[field];
  return typeof value === "string" ? value : "";
}

/** The name of an expression's type, such as `uint256`. */
export function typeOf(node: Node): string {
  const { typeDescriptions } = node;
  const isDescribed =
    typeof typeDescriptions === "object" &&
    typeDescriptions !== null &&
    "typeString" in typeDescriptions &&
    typeof typeDescriptions.typeString === "string";
  return isDescribed ? String(typeDescriptions.typeString) : "";
}

/** Where a node stands in its source. */
export function rangeOf({ src }: Node): Range {
  const [start = 0, length = 0] = src.split(":").map(Number);
  return { start, end: start + length };
}
