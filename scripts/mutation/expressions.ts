/** What can be broken in expressions: operators, constants, arguments. */
import { child, children, rangeOf, text, typeOf, type Node } from "./ast.ts";
import { neighbours, type Edit, type Operator } from "./operator.ts";

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">"],
  "<=": ["<", ">"],
  ">": [">=", "<"],
  ">=": [">", "<"],
  "==": ["!=", "<=", ">="],
  "!=": ["==", "<", ">"],
};

const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "<<": ">>",
  ">>": "<<",
  "&": "|",
  "|": "&",
  "^": "&",
  "|=": "&=",
  "&=": "|=",
  "+=": "-=",
  "-=": "+=",
  "<<=": ">>=",
  ">>=": "<<=",
};

/** The two sides of a binary operation or an assignment, and the text between them. */
function sides(node: Node): { left: Node; right: Node } | undefined {
  const left = child(node, "leftExpression") ?? child(node, "leftHandSide");
  const right = child(node, "rightExpression") ?? child(node, "rightHandSide");
  return left === undefined || right === undefined
    ? undefined
    : { left, right };
}

const logic: Operator = (node, { slice }) => {
  const operands = sides(node);
  if (operands === undefined || !["||", "&&"].includes(text(node, "operator")))
    return [];
  return (["left", "right"] as const).map((side) => ({
    operator: `only-${side}`,
    ...rangeOf(node),
    replacement: slice(rangeOf(operands[side])),
  }));
};

const binaries: Operator = (node, { slice }) => {
  const operands = sides(node);
  const operator = text(node, "operator");
  if (operands === undefined) return [];
  // Nothing unsigned is below zero, so `<= 0` and `> 0` say nothing new.
  const isZero = [operands.left, operands.right].some(
    (side) =>
      ["0", "address(0)"].includes(slice(rangeOf(side))) ||
      typeOf(side) === "bool",
  );
  const comparisons = COMPARISONS[operator] ?? [];
  const isEquality = operator === "==" || operator === "!=";
  const others = [
    ...(isZero && isEquality ? comparisons.slice(0, 1) : comparisons),
    ...(ARITHMETIC[operator] === undefined ? [] : [ARITHMETIC[operator]]),
  ];
  const between = {
    start: rangeOf(operands.left).end,
    end: rangeOf(operands.right).start,
  };
  // Brackets around an operand belong to the text between the operands.
  const start = between.start + slice(between).indexOf(operator);
  return others.map((other) => ({
    operator: `${operator} to ${other}`,
    start,
    end: start + operator.length,
    replacement: other,
  }));
};

const unaries: Operator = (node, { slice }) => {
  const operand = child(node, "subExpression");
  if (node.nodeType !== "UnaryOperation" || operand === undefined) return [];
  const operator = text(node, "operator");
  const inner = slice(rangeOf(operand));
  if (operator === "!")
    return [{ operator: "drop-not", ...rangeOf(node), replacement: inner }];
  const other = { "++": "--", "--": "++" }[operator];
  if (other === undefined) return [];
  const replacement =
    node["prefix"] === true ? `${other}${inner}` : `${inner}${other}`;
  return [
    { operator: `${operator} to ${other}`, ...rangeOf(node), replacement },
  ];
};

const literals: Operator = (node, { slice }) => {
  if (node.nodeType !== "Literal") return [];
  const written = slice(rangeOf(node));
  const others = {
    number: () => neighbours(written),
    bool: () => [written === "true" ? "false" : "true"],
    string: () => [`${written.slice(0, -1)}x"`],
  }[text(node, "kind")];
  return (others?.() ?? []).map((replacement) => ({
    operator:
      text(node, "kind") === "string"
        ? "change-text"
        : `${written} to ${replacement}`,
    ...rangeOf(node),
    replacement,
  }));
};

const returns: Operator = (node, { slice }) => {
  const value = child(node, "expression");
  if (node.nodeType !== "Return" || value === undefined) return [];
  if (typeOf(value) !== "bool") return [];
  const replacement = `!(${slice(rangeOf(value))})`;
  return [{ operator: "negate-return", ...rangeOf(value), replacement }];
};

const callArguments: Operator = (node, { slice }) => {
  if (text(node, "kind") !== "functionCall") return [];
  const list = children(node, "arguments");
  const callee = child(node, "expression");
  const isEncoding =
    callee !== undefined && slice(rangeOf(callee)).startsWith("abi.encode");
  return list.flatMap((argument, index) => {
    const next = list[index + 1];
    const { start, end } = rangeOf(argument);
    const neighbour = next ?? list[index - 1];
    const edits: Edit[] = [];
    if (isEncoding && neighbour !== undefined)
      edits.push({
        operator: `drop-argument ${index}`,
        // Together with one comma.
        start: next === undefined ? rangeOf(neighbour).end : start,
        end: next === undefined ? end : rangeOf(next).start,
        replacement: "",
      });
    if (next !== undefined && (isEncoding || isSwappable(argument, next))) {
      const between = slice({ start: end, end: rangeOf(next).start });
      edits.push({
        operator: `swap-arguments ${index}`,
        start,
        end: rangeOf(next).end,
        replacement: `${slice(rangeOf(next))}${between}${slice(rangeOf(argument))}`,
      });
    }
    return edits;
  });
};

function isSwappable(a: Node, b: Node): boolean {
  const family = (node: Node): string =>
    typeOf(node).replace(/^(uint|int_const).*/, "uint");
  return family(a) === family(b);
}

const senders: Operator = (node, { slice }) =>
  node.nodeType === "MemberAccess" && slice(rangeOf(node)) === "msg.sender"
    ? [
        {
          operator: "sender to origin",
          ...rangeOf(node),
          replacement: "tx.origin",
        },
      ]
    : [];

/** All operators for expressions. */
export const expressionOperators: readonly Operator[] = [
  logic,
  binaries,
  unaries,
  literals,
  returns,
  callArguments,
  senders,
];
