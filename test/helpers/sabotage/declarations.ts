import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../../..");

/** Something with a name in a source: a function, a class, a method, a constant, a property of an object. */
export interface Declaration {
  /** From the root of the repository. */
  readonly file: string;
  readonly node: ts.Node;
}

/** The sources of some folders, by the names that they declare. Only files that are asked for are parsed. */
export class Declarations {
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, readonly ts.Node[]>();

  /** Patterns of files, from the root of the repository. */
  constructor(patterns: readonly string[]) {
    for (const file of globSync([...patterns], { cwd: root })) {
      const text = readFileSync(path.join(root, file), "utf8");
      this.add(file.split(path.sep).join("/"), text);
    }
  }

  /** Takes a source in. */
  add(file: string, text: string): void {
    this.#texts.set(file, text);
  }

  textOf(file: string): string {
    return this.#texts.get(file) ?? "";
  }

  /**
   * The one declaration that a path names: `denialOf`, `AccountJobs.#next`, `senderTransactionTable.Initial.Created`.
   * A part of a file's name before it tells namesakes apart: `coordinator/guards: isClosed`.
   */
  find(name: string): Declaration {
    const colon = name.indexOf(": ");
    const part = colon < 0 ? "" : name.slice(0, colon);
    const dotted = colon < 0 ? name : name.slice(colon + 2);
    const [first = "", ...rest] = dotted.split(".");
    const namesakes = this.#declaring(first);
    const candidates = namesakes.filter(({ file }) => file.includes(part));
    const [only] = candidates;
    if (only === undefined || candidates.length > 1)
      throw new Error(
        `${candidates.length} declarations are called ${name}; one was expected. ${suggest(
          namesakes.length > 0
            ? namesakes.map(({ file }) => `${file}: ${first}`)
            : this.#similar(first),
        )}`,
      );
    return rest.reduce<Declaration>(
      ({ file, node }, inner) => ({ file, node: findInner(node, inner) }),
      only,
    );
  }

  #declaring(name: string): Declaration[] {
    return [...this.#texts]
      .filter(([, text]) =>
        new RegExp(`\\b(?:function|class|const|let) ${name}\\b`).test(text),
      )
      .flatMap(([file, text]) =>
        this.#parse(file, text)
          .filter((node) => nameOf(node) === name)
          .map((node) => ({ file, node })),
      );
  }

  #parse(file: string, text: string): readonly ts.Node[] {
    const known = this.#parsed.get(file);
    if (known !== undefined) return known;
    const { statements } = ts.createSourceFile(
      file,
      text,
      ts.ScriptTarget.Latest,
      true,
    );
    const declared = statements.flatMap(declaredBy);
    this.#parsed.set(file, declared);
    return declared;
  }

  #similar(name: string): string[] {
    const wanted = name.toLowerCase().slice(0, 5);
    return [...this.#texts.values()].flatMap((text) =>
      [...text.matchAll(/\b(?:function|class|const) (\w+)/g)].flatMap(
        ([, other = ""]) =>
          other.toLowerCase().includes(wanted) ? [other] : [],
      ),
    );
  }
}

/** The end of a message: which names there are instead. */
export function suggest(candidates: readonly string[]): string {
  const distinct = [...new Set(candidates)];
  return distinct.length === 0
    ? "There is nothing similar."
    : `Candidates:\n  ${distinct.slice(0, 20).join("\n  ")}`;
}

/** What a statement of a file declares. */
function declaredBy(statement: ts.Statement): ts.Node[] {
  return ts.isVariableStatement(statement)
    ? [...statement.declarationList.declarations]
    : nameOf(statement) === undefined
      ? []
      : [statement];
}

/** What a declaration, a member or a property is called. */
function nameOf(node: ts.Node): string | undefined {
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node)
  )
    return node.name === undefined ? undefined : textOfName(node.name);
  return ts.isConstructorDeclaration(node) ? "constructor" : undefined;
}

function textOfName(name: ts.Node): string {
  return ts.isStringLiteral(name) ? name.text : name.getText();
}

/** What has a name within something else: what is nearest to the outside. */
function findInner(outer: ts.Node, name: string): ts.Node {
  let level = childrenOf(outer);
  const seen: string[] = [];
  while (level.length > 0) {
    const found = level.filter((node) => nameOf(node) === name);
    const [only] = found;
    if (found.length === 1 && only !== undefined) return only;
    if (found.length > 1)
      throw new Error(`${name} is declared ${found.length} times there.`);
    seen.push(...level.flatMap((node) => nameOf(node) ?? []));
    level = level.flatMap(childrenOf);
  }
  throw new Error(
    `Nothing is called ${name} in ${nameOf(outer) ?? ""}. ${suggest(seen)}`,
  );
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}
