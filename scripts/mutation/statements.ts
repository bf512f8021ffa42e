/** What can be broken in statements: guards, branches, effects, modifiers. */
import { child, children, rangeOf, text, type Node } from "./ast.ts";
import type { Context, Edit, Operator } from "./operator.ts";

/** The statement with its semicolon: `{}` stands in for it everywhere a statement may stand. */
function withoutStatement(
  operator: string,
  node: Node,
  { slice }: Context,
): Edit {
  const { start, end } = rangeOf(node);
  const hasSemicolon = slice({ start: end, end: end + 1 }) === ";";
  return {
    operator,
    start,
    end: hasSemicolon ? end + 1 : end,
    replacement: "{}",
  };
}

/** Whether this is an `if` that does nothing but revert. */
export function isGuard(node: Node): boolean {
  if (node.nodeType !== "IfStatement" || child(node, "falseBody") !== undefined)
    return false;
  const body = child(node, "trueBody");
  const only =
    body?.nodeType === "Block" ? children(body, "statements") : [body];
  return only.length === 1 && only[0]?.nodeType === "RevertStatement";
}

const guards: Operator = (node, context) =>
  isGuard(node) ? [withoutStatement("drop-guard", node, context)] : [];

const branches: Operator = (node, { slice }) => {
  const condition = child(node, "condition");
  if (condition === undefined) return [];
  if (node.nodeType === "IfStatement" && !isGuard(node))
    return ["true", "false"].map((value) => ({
      operator: `if-${value}`,
      ...rangeOf(condition),
      replacement: value,
    }));
  if (node.nodeType !== "Conditional") return [];
  return ["trueExpression", "falseExpression"].flatMap((field) => {
    const branch = child(node, field);
    if (branch === undefined) return [];
    const replacement = `(${slice(rangeOf(branch))})`;
    return [
      {
        operator: `only-${field.slice(0, -10)}`,
        ...rangeOf(node),
        replacement,
      },
    ];
  });
};

const statements: Operator = (node, context) => {
  const parent = context.ancestors.at(-1);
  // Without its step a loop only runs out of gas.
  if (parent !== undefined && child(parent, "loopExpression") === node)
    return [];
  if (node.nodeType === "EmitStatement")
    return [withoutStatement("drop-emit", node, context)];
  if (node.nodeType !== "ExpressionStatement") return [];
  const kind = child(node, "expression")?.nodeType;
  const operator = kind === "FunctionCall" ? "drop-call" : "drop-write";
  return [withoutStatement(operator, node, context)];
};

const modifiers: Operator = (node) =>
  text(node, "kind") === "modifierInvocation"
    ? [{ operator: "drop-modifier", ...rangeOf(node), replacement: "" }]
    : [];

/** All operators for statements. */
export const statementOperators: readonly Operator[] = [
  guards,
  branches,
  statements,
  modifiers,
];
