/** What can be broken in inline assembly. */
import { child, children, rangeOf, text } from "./ast.ts";
import { neighbours, type Operator } from "./operator.ts";

const BUILTINS: Readonly<Record<string, string>> = {
  add: "sub",
  sub: "add",
  and: "or",
  or: "and",
  shl: "shr",
  shr: "shl",
  mul: "div",
  div: "mul",
  lt: "gt",
  gt: "lt",
  eq: "xor",
};

const builtins: Operator = (node) => {
  const callee = child(node, "functionName");
  if (node.nodeType !== "YulFunctionCall" || callee === undefined) return [];
  const name = text(callee, "name");
  const other = BUILTINS[name];
  return other === undefined
    ? []
    : [
        {
          operator: `${name} to ${other}`,
          ...rangeOf(callee),
          replacement: other,
        },
      ];
};

const literals: Operator = (node) =>
  node.nodeType === "YulLiteral" && text(node, "kind") === "number"
    ? neighbours(text(node, "value")).map((replacement) => ({
        operator: `${text(node, "value")} to ${replacement}`,
        ...rangeOf(node),
        replacement,
      }))
    : [];

const statements: Operator = (node) =>
  node.nodeType === "YulBlock"
    ? children(node, "statements")
        .filter(({ nodeType }) =>
          ["YulExpressionStatement", "YulAssignment"].includes(nodeType),
        )
        .map((statement) => ({
          operator: "drop-assembly",
          ...rangeOf(statement),
          replacement: "",
        }))
    : [];

/** All operators for inline assembly. */
export const assemblyOperators: readonly Operator[] = [
  builtins,
  literals,
  statements,
];
