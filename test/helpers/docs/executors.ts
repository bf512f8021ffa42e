import type { Block } from "./blocks.ts";

/** Pages whose blocks have a test of their own. */
export const ownTests: Readonly<Record<string, string>> = {
  // Blocks are parts of examples, which `npm run test:example` runs.
  "docs/guides/notarised-token.md": "test/docs/guides.ts",
  "docs/guides/owned-coins.md": "test/docs/guides.ts",
  "docs/guides/write-a-domain.md": "test/docs/guides.ts",
  // Diagrams are made from the tables.
  "docs/state-machines.md": "test/protocol/tables.ts",
};

/** Whether the blocks of a page are parts of an example. */
export function isGuide(page: string): boolean {
  return ownTests[page] === "test/docs/guides.ts";
}

/** Whether a block says that no test runs it, and why. */
export function isIllustrative({ comment = "" }: Block): boolean {
  return /^illustrative: \S.{5,}$/.test(comment);
}

/** Whether `test/docs/pages.ts` runs a block; it takes commands, TypeScript and Solidity of every page. */
export function isRun(block: Block): boolean {
  return (
    ["sh", "ts", "solidity"].includes(block.language) &&
    ownTests[block.page] === undefined &&
    !isIllustrative(block)
  );
}

/** The blocks of a page that no test runs or compares, and that do not say why. */
export function withoutTest(blocks: readonly Block[]): readonly Block[] {
  return blocks.filter((block, index) => {
    const { page, language, comment } = block;
    // A mark needs a reason, whatever runs the page.
    if (comment?.startsWith("illustrative") === true)
      return !isIllustrative(block);
    if (ownTests[page] !== undefined || isRun(block)) return false;
    const before = blocks[index - 1];
    if (language === "text") return before?.language !== "sh" || !isRun(before);
    return page !== "docs/reference/rpc.md" || language !== "json";
  });
}
