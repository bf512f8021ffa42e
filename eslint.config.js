import tseslint from "typescript-eslint";

/** Imports point one way: a layer may use itself and the layers before it. */
const layers = [
  ["ledger"],
  ["protocol"],
  ["runtime"],
  ["simulation", "view"],
  ["plugin"],
  ["tasks"],
];
const later = (index) => layers.slice(index + 1).flat();
const sameLevel = (index, name) =>
  layers[index].filter((other) => other !== name);

const direction = layers
  .flatMap((names, index) =>
    names.map((name) => ({
      files: [`src/${name}/**/*.ts`],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                group: [...later(index), ...sameLevel(index, name)].flatMap(
                  (other) => [`**/${other}/**`],
                ),
                message: `src/${name} must not import this: imports point one way (docs/architecture.md).`,
              },
              ...(name === "protocol"
                ? [
                    {
                      group: [
                        "node:*",
                        "ethers",
                        "ethers/*",
                        "hardhat",
                        "hardhat/*",
                        "@nomicfoundation/*",
                      ],
                      message: "src/protocol is pure (docs/architecture.md).",
                    },
                  ]
                : []),
            ],
          },
        ],
      },
    })),
  )
  .filter(
    ({ rules }) =>
      rules["no-restricted-imports"][1].patterns[0].group.length > 0,
  );

export default tseslint.config(
  {
    ignores: [
      "node_modules",
      "artifacts",
      "cache",
      "dist",
      "types",
      "src/typechain",
      "coverage",
      "examples/*/node_modules",
      "examples/*/types",
      "examples/*/artifacts",
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        // A fixed program takes a tenth less than one that is looked for file by file.
        project: "tsconfig.json",
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/return-await": ["error", "always"],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreVoidReturningFunctions: true },
      ],
      eqeqeq: "error",
      // There are none: they cannot be erased.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",
    },
  },
  {
    // Examples are projects of their own: without their packages there are no types. Their tests run tsc.
    files: ["**/*.js", "examples/**/*.ts"],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // chai's assertions are expressions.
      "@typescript-eslint/no-unused-expressions": "off",
    },
  },
  ...direction,
);
