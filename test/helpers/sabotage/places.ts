import ts from "typescript";

/** A way to find one place in a declaration by its structure. */
export interface Place {
  /** What it looks for, for messages. */
  readonly says: string;
  /** Everything of its kind in there. */
  readonly all: (scope: ts.Node) => readonly ts.Node[];
  readonly isMeant: (node: ts.Node) => boolean;
}

/** Every node below one, and the node itself. */
function nodesIn(scope: ts.Node): ts.Node[] {
  const found: ts.Node[] = [scope];
  ts.forEachChild(scope, (child) => {
    found.push(...nodesIn(child));
  });
  return found;
}

/** Names and texts in a node: identifiers, properties, strings. */
function namesIn(node: ts.Node): Set<string> {
  return new Set(
    nodesIn(node).flatMap((inner) =>
      ts.isIdentifier(inner) ||
      ts.isPrivateIdentifier(inner) ||
      ts.isStringLiteralLike(inner)
        ? [inner.text]
        : [],
    ),
  );
}

function mentions(node: ts.Node, names: readonly string[]): boolean {
  const known = namesIn(node);
  return names.every((name) => known.has(name));
}

function ofKind<T extends ts.Node>(
  says: string,
  isKind: (node: ts.Node) => node is T,
  isMeant: (node: T) => boolean,
): Place {
  return {
    says,
    all: (scope) => nodesIn(scope).filter(isKind),
    isMeant: (node) => isKind(node) && isMeant(node),
  };
}

/** Parts of the nodes of a kind, such as the conditions of all `if`. */
function partsOf(
  says: string,
  parts: (node: ts.Node) => readonly ts.Node[],
  isMeant: (node: ts.Node) => boolean,
): Place {
  return { says, all: (scope) => nodesIn(scope).flatMap(parts), isMeant };
}

const quoted = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` that mentions ${names.join(" and ")}`;

/** The function that is called, or the last names of it: `save`, `effects.push`. Whether a name is private does not matter. */
function isNamed(callee: ts.Expression, name: string): boolean {
  const parts: string[] = [];
  let inner: ts.Expression = callee;
  while (ts.isPropertyAccessExpression(inner)) {
    parts.unshift(inner.name.text);
    inner = inner.expression;
  }
  if (ts.isIdentifier(inner)) parts.unshift(inner.text);
  const [full, wanted] = [parts.join("."), name].map((one) =>
    one.replaceAll("#", ""),
  );
  return `.${full ?? ""}`.endsWith(`.${wanted ?? ""}`);
}

/** A call of a function or method. With names: the call that mentions them. */
export function call(name: string, ...names: string[]): Place {
  return ofKind(
    `a call of ${name}${quoted(names)}`,
    ts.isCallExpression,
    (node) => isNamed(node.expression, name) && mentions(node, names),
  );
}

/** The function of a call. */
export function callee(name: string): Place {
  return partsOf(
    `the function of a call of ${name}`,
    (node) => (ts.isCallExpression(node) ? [node.expression] : []),
    (node) => isNamed(node as ts.Expression, name),
  );
}

/** An argument of a call, by its number or by a name that it mentions. */
export function argument(name: string, which: number | string): Place {
  return partsOf(
    `argument ${which} of a call of ${name}`,
    (node) => (ts.isCallExpression(node) ? node.arguments : []),
    (node) =>
      ts.isCallExpression(node.parent) &&
      isNamed(node.parent.expression, name) &&
      (typeof which === "number"
        ? node.parent.arguments[which] === node
        : mentions(node, [which])),
  );
}

/** An `if` whose condition mentions all names. */
export function ifOn(...names: string[]): Place {
  return ofKind(
    `an if with a condition${quoted(names)}`,
    ts.isIfStatement,
    (node) => mentions(node.expression, names),
  );
}

/** What an `if` does whose condition mentions all names. */
export function branchOn(...names: string[]): Place {
  return partsOf(
    `what is done under a condition${quoted(names)}`,
    (node) => (ts.isIfStatement(node) ? [node.thenStatement] : []),
    ({ parent }) =>
      ts.isIfStatement(parent) && mentions(parent.expression, names),
  );
}

function conditionsOf(node: ts.Node): ts.Node[] {
  return ts.isIfStatement(node) || ts.isWhileStatement(node)
    ? [node.expression]
    : ts.isConditionalExpression(node)
      ? [node.condition]
      : [];
}

/** The condition of an `if`, a loop or `? :` that mentions all names. */
export function condition(...names: string[]): Place {
  return partsOf(`a condition${quoted(names)}`, conditionsOf, (node) =>
    mentions(node, names),
  );
}

/** The condition of the innermost `if` around another place. */
export function guardOf(inner: Place): Place {
  const all = (scope: ts.Node): ts.Node[] =>
    inner
      .all(scope)
      .filter(inner.isMeant)
      .flatMap((node) => {
        let outer: ts.Node = node;
        while (outer !== scope && !isBranch(outer)) outer = outer.parent;
        return ts.isIfStatement(outer.parent) ? [outer.parent.expression] : [];
      });
  return { says: `the guard of ${inner.says}`, all, isMeant: () => true };
}

function isBranch(node: ts.Node): boolean {
  return ts.isIfStatement(node.parent) && node.parent.expression !== node;
}

const isLogical = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  (node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken ||
    node.operatorToken.kind === ts.SyntaxKind.BarBarToken);

/** One of the claims that `&&` and `||` connect. */
export function operand(...names: string[]): Place {
  return partsOf(
    `an operand of && or ||${quoted(names)}`,
    (node) =>
      isLogical(node)
        ? [node.left, node.right].filter((side) => !isChain(side))
        : [],
    (node) => mentions(node, names),
  );
}

function isChain(node: ts.Node): boolean {
  return ts.isParenthesizedExpression(node)
    ? isChain(node.expression)
    : isLogical(node);
}

/** What is returned, of those that mention all names. */
export function returned(...names: string[]): Place {
  return partsOf(
    `a returned value${quoted(names)}`,
    (node) =>
      ts.isReturnStatement(node) && node.expression !== undefined
        ? [node.expression]
        : ts.isArrowFunction(node) && !ts.isBlock(node.body)
          ? [node.body]
          : [],
    (node) => mentions(node, names),
  );
}

/** What a constant, a variable or a property is set to. */
export function value(name: string): Place {
  return partsOf(
    `a value of ${name}`,
    (node) =>
      isAssignment(node)
        ? [node.right]
        : (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) &&
            node.initializer !== undefined
          ? [node.initializer]
          : [],
    ({ parent }) =>
      isAssignment(parent)
        ? isNamed(parent.left, name)
        : "name" in parent && (parent.name as ts.Node).getText() === name,
  );
}

/** `name = …`, `something.name = …` and the like. */
export function assignment(name: string): Place {
  return ofKind(`an assignment to ${name}`, isAssignment, ({ left }) =>
    isNamed(left, name),
  );
}

function isAssignment(node: ts.Node): node is ts.BinaryExpression {
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

/** What a `for … of` goes through. */
export function listed(...names: string[]): Place {
  return partsOf(
    `a list${quoted(names)} that a loop goes through`,
    (node) => (ts.isForOfStatement(node) ? [node.expression] : []),
    (node) => mentions(node, names),
  );
}

/** An element of a list, such as an action of a rule. */
export function element(name: string): Place {
  return partsOf(
    `the element ${name} of a list`,
    (node) => (ts.isArrayLiteralExpression(node) ? node.elements : []),
    (node) => node.getText() === name,
  );
}

/** A property of an object, or a pair of a table. */
export function property(name: string): Place {
  return partsOf(
    `the property ${name}`,
    (node) => (ts.isObjectLiteralExpression(node) ? node.properties : []),
    (node) =>
      (ts.isPropertyAssignment(node) ||
        ts.isShorthandPropertyAssignment(node)) &&
      node.name.getText() === name,
  );
}

/** A rule of a state machine: an object in a list, which mentions all names. */
export function rule(...names: string[]): Place {
  return partsOf(
    `a rule${quoted(names)}`,
    (node) =>
      ts.isArrayLiteralExpression(node)
        ? node.elements.filter(ts.isObjectLiteralExpression)
        : [],
    (node) => mentions(node, names),
  );
}

/** What an object takes over with `...`. */
export function spread(...names: string[]): Place {
  return ofKind(
    `what is spread${quoted(names)}`,
    (node): node is ts.SpreadAssignment | ts.SpreadElement =>
      ts.isSpreadAssignment(node) || ts.isSpreadElement(node),
    (node) => mentions(node, names),
  );
}

/** A case of a `switch`. */
export function caseOf(label: string): Place {
  return ofKind(`the case ${label}`, ts.isCaseClause, ({ expression }) =>
    mentions(expression, [label]),
  );
}

/** What is done with an error. */
export function caught(): Place {
  return partsOf(
    "a catch",
    (node) => (ts.isCatchClause(node) ? [node.block] : []),
    () => true,
  );
}
