/** What can be broken in Solidity: each operator looks at one node and proposes edits. */
import {
  child,
  children,
  rangeOf,
  text,
  typeOf,
  type Node,
  type Range,
} from "./ast.ts";

/** One change of one range. */
export interface Edit extends Range {
  readonly operator: string;
  readonly replacement: string;
}

/** What an operator may know besides the node. */
export interface Context {
  readonly ancestors: readonly Node[];
  /** The source text of a range. */
  readonly slice: (range: Range) => string;
}

/** Proposes edits for a node; most operators have nothing to say about most nodes. */
export type Operator = (node: Node, context: Context) => Edit[];

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

/** A number next to the one written here, in the same notation. */
export function neighbours(literal: string): string[] {
  const value = BigInt(literal.replaceAll("_", ""));
  const write = (number: bigint): string =>
    literal.startsWith("0x") ? `0x${number.toString(16)}` : number.toString();
  return value === 0n ? [write(1n)] : [write(value - 1n), write(value + 1n)];
}

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

/** All operators for Solidity outside assembly. */
export const solidityOperators: readonly Operator[] = [
  guards,
  branches,
  logic,
  binaries,
  unaries,
  literals,
  statements,
  modifiers,
  returns,
  callArguments,
  senders,
];
