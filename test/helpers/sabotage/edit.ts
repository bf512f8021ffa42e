import ts from "typescript";

import { type Declarations, suggest } from "./declarations.ts";
import type { Place } from "./places.ts";

/** Something that is put where something else was. */
interface Splice {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly code: string;
}

/** One place made wrong. It knows the place by its structure: it is there once, however it is written. */
export type Edit = (declarations: Declarations) => Splice;

/** What the code does wrong. */
export interface Sabotage {
  /** As a sentence whose subject is a node. */
  readonly name: string;
  /** All lines of defence that have to fall. */
  readonly edits: readonly Edit[];
}

/** Edits of a declaration, or of a part of it: each narrowing is one place in what was before it. */
interface Inside {
  /** Without it. */
  drops(place: Place): Edit;
  /** With other code in its place, perhaps made of what was there. */
  puts(place: Place, code: string | ((before: string) => string)): Edit;
  /** With more code after it. */
  addsAfter(place: Place, code: string): Edit;
  /** With more code before it. */
  addsBefore(place: Place, code: string): Edit;
}

/** Where to edit: a declaration by its name, and parts of it. */
export function inside(name: string, ...narrowing: readonly Place[]): Inside {
  const at =
    (place: Place, splice: (node: ts.Node) => Omit<Splice, "file">): Edit =>
    (declarations) => {
      const { file, node } = declarations.find(name);
      const meant = [...narrowing, place].reduce(
        (scope, next) => findOne(scope, next, `${name} (${file})`),
        node,
      );
      return { file, ...splice(meant) };
    };
  return {
    drops: (place) => at(place, drop),
    puts: (place, code) =>
      at(place, (node) => ({
        ...rangeOf(node),
        code: typeof code === "string" ? code : code(node.getText()),
      })),
    addsAfter: (place, code) =>
      at(place, (node) => {
        const { end } = statementOf(node);
        return {
          start: end,
          end,
          code: isItem(node) ? `, ${code}` : `\n${code}`,
        };
      }),
    addsBefore: (place, code) =>
      at(place, (node) => {
        const { start } = rangeOf(statementOf(node));
        return {
          start,
          end: start,
          code: isItem(node) ? `${code}, ` : `${code}\n`,
        };
      }),
  };
}

/** The sources that a sabotage changes, as they are then. */
export function sabotaged(
  declarations: Declarations,
  { name, edits }: Sabotage,
): { readonly file: string; readonly text: string }[] {
  const splices = edits.map((edit) => {
    try {
      return edit(declarations);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(
        `The sabotage "${name}" does not fit the code: ${message}`,
        { cause: error },
      );
    }
  });
  const files = [...new Set(splices.map(({ file }) => file))];
  return files.map((file) => {
    const text = splices
      .filter((splice) => splice.file === file)
      .sort((a, b) => b.start - a.start || b.end - a.end)
      .reduce((before, { start, end, code }, index, all) => {
        if (end > (all[index - 1]?.start ?? Infinity))
          throw new Error(`Two edits of ${file} overlap.`);
        return before.slice(0, start) + code + before.slice(end);
      }, declarations.textOf(file));
    return { file, text };
  });
}

function findOne(scope: ts.Node, place: Place, where: string): ts.Node {
  const all = place.all(scope);
  const found = all.filter(place.isMeant);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(
      `${where} has ${found.length} times ${place.says}; one was expected. ${suggest(
        (found.length > 1 ? found : all).map(abbreviate),
      )}`,
    );
  return only;
}

function abbreviate(node: ts.Node): string {
  const text = node.getText().replaceAll(/\s+/g, " ");
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}

const rangeOf = (node: ts.Node): { start: number; end: number } => ({
  start: node.getStart(),
  end: node.end,
});

/** The statement that consists of an expression, or what is given. */
function statementOf(node: ts.Node): ts.Node {
  let outer = node;
  if (ts.isAwaitExpression(outer.parent)) outer = outer.parent;
  return ts.isExpressionStatement(outer.parent) ? outer.parent : node;
}

/** It stands in a list, between commas. */
function isItem(node: ts.Node): boolean {
  return listAround(node) !== undefined;
}

function listAround(node: ts.Node): ts.NodeArray<ts.Node> | undefined {
  const { parent } = node;
  if (ts.isArrayLiteralExpression(parent)) return parent.elements;
  if (ts.isObjectLiteralExpression(parent)) return parent.properties;
  if (ts.isCallExpression(parent) && parent.expression !== node)
    return parent.arguments;
  return undefined;
}

/** What takes its place if it is dropped. */
function drop(node: ts.Node): Omit<Splice, "file"> {
  const { parent } = node;
  const list = listAround(node);
  if (list !== undefined) {
    const next = list[list.indexOf(node) + 1];
    const before = list[list.indexOf(node) - 1];
    return next !== undefined
      ? { start: node.getStart(), end: next.getStart(), code: "" }
      : { start: before?.end ?? node.getStart(), end: node.end, code: "" };
  }
  if (ts.isBinaryExpression(parent))
    return parent.left === node
      ? { start: node.getStart(), end: parent.right.getStart(), code: "" }
      : { start: parent.left.end, end: node.end, code: "" };
  const statement = statementOf(node);
  if (!ts.isStatement(statement))
    throw new Error(`"${abbreviate(node)}" cannot be dropped.`);
  const isOneOfMany =
    ts.isBlock(statement.parent) ||
    ts.isSourceFile(statement.parent) ||
    ts.isCaseOrDefaultClause(statement.parent);
  return { ...rangeOf(statement), code: isOneOfMany ? "" : "{}" };
}
