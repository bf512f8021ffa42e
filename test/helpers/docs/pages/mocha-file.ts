import type { Block } from "../blocks.ts";
import { givenImports } from "../givens.ts";

/** What a part of a test has from the lines before it, which the page leaves out. */
const setUp: Readonly<Record<string, string>> = {
  cluster: `const connection = await network.create();
const cluster = await connection.sequencer.start({ nodes: 4 });`,
  bob: 'const bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";',
};

const FILE = /^\/\/ ((?:[\w-]+\/)+[\w.-]+)\n/;
const PART_OF_CONFIG = /^\s*(?:\/\/.*\n\s*)?(?:networks|sequencer): \{/;

/** The file that the first line of a block names, other than the configuration. */
export function fileOf({ text }: Block): string | undefined {
  return FILE.exec(text)?.[1];
}

/** A block that is a configuration, or a part of one. */
export function isConfig({ text }: Block): boolean {
  return PART_OF_CONFIG.test(text) || text.includes("defineConfig(");
}

const importsOf = (text: string): readonly string[] =>
  text.match(/^import\b[^;]*;/gm) ?? [];

const bodyOf = (text: string): string => text.replace(/^import\b[^;]*;/gm, "");

const uses = (text: string, name: string): boolean =>
  new RegExp(`(?<![.\\w"-])${name}\\b(?!:)`).test(text);

const declares = (text: string, name: string): boolean =>
  new RegExp(`\\b(?:const|let|function|class) ${name}\\b`).test(text) ||
  importsOf(text).some((line) => uses(line.split(" from ")[0] ?? "", name));

/** A block with the imports that its page does not repeat. */
function withGivens(text: string): string {
  const head = Object.entries(givenImports)
    .filter(([name]) => uses(text, name) && !declares(text, name))
    .map(([, line]) => line);
  return [...head, text].join("\n");
}

/**
 * A configuration as a module. "0x…" stands for an address, or in an \`id\` or a \`key\` for 32 bytes: values that Hardhat checks.
 */
export function configModule({ text }: Block): string {
  const whole = PART_OF_CONFIG.test(text)
    ? `export default defineConfig({\n  plugins: [hardhatSequencer],\n${text}\n});`
    : text;
  let count = 10;
  const filled = whole.replace(
    /(\b(?:id|key): )?"0x…"/g,
    (_, field: string | undefined) =>
      `${field ?? ""}"0x${String((count += 1)).repeat(field === undefined ? 20 : 32)}"`,
  );
  return withGivens(filled);
}

/** A block with tests of its own. */
export function hasTests({ text }: Block): boolean {
  return /^(?:describe|it)\(/m.test(text);
}

/** A file for Mocha that runs a block: as a test that has its place for a name, unless it has tests of its own. */
export function mochaModule(block: Block): string {
  const text = needing(block.text);
  const imports = unitedImports(importsOf(withGivens(text)));
  return [...imports, testOf(block, text)].join("\n");
}

/** The text with the lines that it needs before it. */
function needing(text: string): string {
  const before = Object.entries(setUp)
    .filter(([name]) => uses(text, name) && !declares(text, name))
    .map(([, lines]) => lines);
  return [...before, text].join("\n");
}

function testOf(block: Block, text: string): string {
  const body = bodyOf(text);
  if (hasTests(block)) return `{\n${body}\n}`;
  const isOpen =
    declares(text, "connection") && !text.includes("connection.close()");
  const end = isOpen ? "\nawait connection.close();" : "";
  const name = JSON.stringify(`${block.page}:${block.line}`);
  return `it(${name}, async function () {\n${body}${end}\n});`;
}

/** Blocks of a page repeat imports: a module has each name once. */
function unitedImports(lines: readonly string[]): readonly string[] {
  const names = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const line of lines) {
    const [, list, from = ""] =
      /^import \{([^}]*)\} from ("[^"]+");$/.exec(line) ?? [];
    if (list === undefined) others.add(line);
    else
      for (const name of list.split(",").map((one) => one.trim()))
        if (name !== "")
          names.set(from, (names.get(from) ?? new Set()).add(name));
  }
  return [
    ...others,
    ...[...names].map(
      ([from, set]) => `import { ${[...set].join(", ")} } from ${from};`,
    ),
  ];
}

/** Joins blocks of a page that go on with what the one before has: it has no end of its own. */
export function joined(blocks: readonly Block[]): readonly Block[] {
  const all: Block[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (last !== undefined && goesOn(last.text, block.text))
      all[all.length - 1] = {
        ...last,
        text: `${last.text}\n{\n${bodyOf(block.text)}\n}\n${importsOf(block.text).join("\n")}`,
      };
    else all.push(block);
  }
  return all;
}

function goesOn(before: string, text: string): boolean {
  if (before.includes("connection.close()")) return false;
  const declared = [...before.matchAll(/^const (?:\{ )?(\w+)/gm)];
  return declared.some(
    ([, name = ""]) => uses(text, name) && !declares(text, name),
  );
}
