import { readdirSync } from "node:fs";

import { defineConfig, type OxlintOverride } from "oxlint";

/** What typescript-eslint calls strict and stylistic. */
const plain = [
  "adjacent-overload-signatures",
  "array-type",
  "ban-tslint-comment",
  "class-literal-property-style",
  "consistent-generic-constructors",
  "consistent-indexed-object-style",
  "consistent-type-assertions",
  "consistent-type-definitions",
  "explicit-module-boundary-types",
  "no-confusing-non-null-assertion",
  "no-duplicate-enum-values",
  "no-dynamic-delete",
  "no-empty-object-type",
  "no-explicit-any",
  "no-extra-non-null-assertion",
  "no-extraneous-class",
  "no-inferrable-types",
  "no-invalid-void-type",
  "no-misused-new",
  "no-namespace",
  "no-non-null-asserted-nullish-coalescing",
  "no-non-null-asserted-optional-chain",
  "no-non-null-assertion",
  "no-require-imports",
  "no-this-alias",
  "no-unnecessary-type-constraint",
  "no-unsafe-declaration-merging",
  "no-unsafe-function-type",
  "no-wrapper-object-types",
  "prefer-as-const",
  "prefer-for-of",
  "prefer-function-type",
  "prefer-literal-enum-member",
  "prefer-namespace-keyword",
  "triple-slash-reference",
  "unified-signatures",
];

/** Those of them that need types. */
const typed = [
  "await-thenable",
  "dot-notation",
  "no-array-delete",
  "no-base-to-string",
  "no-deprecated",
  "no-duplicate-type-constituents",
  "no-floating-promises",
  "no-for-in-array",
  "no-implied-eval",
  "no-meaningless-void-operator",
  "no-misused-promises",
  "no-misused-spread",
  "no-mixed-enums",
  "no-redundant-type-constituents",
  "no-unnecessary-boolean-literal-compare",
  "no-unnecessary-condition",
  "no-unnecessary-template-expression",
  "no-unnecessary-type-arguments",
  "no-unnecessary-type-assertion",
  "no-unnecessary-type-conversion",
  "no-unnecessary-type-parameters",
  "no-unsafe-argument",
  "no-unsafe-assignment",
  "no-unsafe-call",
  "no-unsafe-member-access",
  "no-unsafe-return",
  "no-unsafe-unary-minus",
  "no-useless-default-assignment",
  "non-nullable-type-assertion-style",
  "only-throw-error",
  "prefer-find",
  "prefer-includes",
  "prefer-nullish-coalescing",
  "prefer-optional-chain",
  "prefer-promise-reject-errors",
  "prefer-reduce-type-parameter",
  "prefer-regexp-exec",
  "prefer-return-this-type",
  "prefer-string-starts-ends-with",
  "related-getter-setter-pairs",
  "require-await",
  "switch-exhaustiveness-check",
  "unbound-method",
  "use-unknown-in-catch-callback-variable",
];

const typescript = (
  names: readonly string[],
  severity: "error" | "off",
): Record<string, "error" | "off"> =>
  Object.fromEntries(names.map((name) => [`typescript/${name}`, severity]));

/**
 * Imports point one way: a layer may use itself and the layers before it. The folders of the third layer may use each other as
 * well, and `test/imports.ts` finds no cycle between them. The tasks come after all layers.
 */
const layers = [
  ["async", "ledger", "protocol"],
  ["chain", "domains", "keys", "network", "store"],
  ["node"],
  ["api", "replica"],
  ["host", "supervisor"],
  ["cluster"],
  ["monitor"],
  ["simulation", "view"],
  ["plugin"],
];

/** The layer whose folders may use each other. */
const mixed = layers[1] ?? [];

/** Each task has a folder. Code that several of them need is in `tasks/shared`. */
const tasks = readdirSync(new URL("tasks", import.meta.url), {
  withFileTypes: true,
})
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The core knows nothing of machines, chains and tools. */
const impure = [
  "node:*",
  "ethers",
  "ethers/*",
  "hardhat",
  "hardhat/*",
  "@nomicfoundation/*",
];

const direction = layers.flatMap((names, index) =>
  names.flatMap((name): OxlintOverride[] => {
    const others = [...layers.slice(index).flat(), "tasks"];
    const patterns = [
      {
        group: others
          .filter((other) => other !== name)
          .filter((other) => !mixed.includes(name) || !mixed.includes(other))
          .map((other) => `**/${other}/**`),
        message: `src/${name} must not import this: imports point one way (docs/architecture.md).`,
      },
      {
        group: name === "protocol" ? impure : [],
        message: "src/protocol is pure (docs/architecture.md).",
      },
    ].filter(({ group }) => group.length > 0);
    if (patterns.length === 0) return [];
    return [
      {
        files: [`src/${name}/**/*.ts`],
        rules: { "no-restricted-imports": ["error", { patterns }] },
      },
    ];
  }),
);

const betweenTasks = tasks.map((name): OxlintOverride => {
  const others = tasks.filter(
    (other) => other !== name && (name === "shared" || other !== "shared"),
  );
  const group = others.map((other) => `../${other}/**`);
  const message = `tasks/${name} must not import another task: put what both need into tasks/shared.`;
  return {
    files: [`tasks/${name}/**/*.ts`],
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group, message }] }],
    },
  };
});

export default defineConfig({
  plugins: ["typescript"],
  categories: { correctness: "error" },
  options: { typeAware: true },
  ignorePatterns: [
    "artifacts",
    "cache",
    "coverage",
    "dist",
    "src/typechain",
    "types",
    "examples/*/artifacts",
    "examples/*/types",
  ],
  rules: {
    ...typescript([...plain, ...typed], "error"),
    "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
    "typescript/no-confusing-void-expression": [
      "error",
      { ignoreVoidReturningFunctions: true },
    ],
    "typescript/restrict-plus-operands": [
      "error",
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    "typescript/restrict-template-expressions": [
      "error",
      { allowNumber: true, allowBoolean: true },
    ],
    "typescript/return-await": ["error", "always"],
    // Strings in the order of their characters is what is meant.
    "typescript/require-array-sort-compare": "off",
    eqeqeq: "error",
    "no-array-constructor": "error",
    "no-empty-function": "error",
    "no-unused-expressions": "error",
    "no-unused-vars": "error",
    "no-useless-constructor": "error",
    "no-var": "error",
    "prefer-const": "error",
  },
  overrides: [
    {
      // Examples are projects of their own: without their packages there are no types. Their tests run tsc.
      files: ["**/*.js", "examples/**/*.ts"],
      rules: typescript(
        [
          ...typed,
          "no-confusing-void-expression",
          "restrict-plus-operands",
          "restrict-template-expressions",
          "return-await",
        ],
        "off",
      ),
    },
    {
      files: ["test/**/*.ts"],
      rules: {
        // chai's assertions are expressions.
        "no-unused-expressions": "off",
        // Terminals are told what to do with them.
        "no-control-regex": "off",
      },
    },
    ...direction,
    ...betweenTasks,
  ],
});
