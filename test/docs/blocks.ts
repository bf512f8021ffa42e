import { expect } from "chai";

import { type Block, blocksOf, readPage } from "../helpers/docs/blocks.ts";
import { type CommandCheck, commandCheck } from "../helpers/docs/commands.ts";
import {
  isGuide,
  isIllustrative,
  ownTests,
  withoutTest,
} from "../helpers/docs/executors.ts";
import { userPages } from "../helpers/docs/pages.ts";
import { typeProblems } from "../helpers/docs/typescript-blocks.ts";

const all = userPages().map((page) => blocksOf(page));
const blocks = all.flat().filter((block) => !isIllustrative(block));

/** Commands that no test runs. Those of this package and of Hardhat must be there all the same. */
const commands = all
  .flat()
  .filter((block) => block.language === "sh" && isIllustrative(block));

const written = (...languages: readonly string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

describe("blocks of pages", function () {
  this.timeout(120_000);

  it("are run by a test, or say why no test runs them", () => {
    expect(all.flatMap(withoutTest).map(placeOf)).to.deep.equal([]);
    for (const language of ["ts", "sh", "solidity", "json", "text"])
      expect(written(language), language).to.not.have.lengthOf(0);
  });

  for (const [page, test] of Object.entries(ownTests))
    it(`of ${page} are read by ${test}`, () => {
      expect(readPage(test)).to.include(`${page}"`);
      expect(blocksOf(page)).to.not.have.lengthOf(0);
    });

  it("in TypeScript have the types of the sources", () => {
    expect(
      typeProblems(written("ts").filter(({ page }) => !isGuide(page))),
    ).to.deep.equal([]);
  });

  it("in JSON can be read", () => {
    for (const block of written("json"))
      expect(
        () => JSON.parse(block.text) as unknown,
        placeOf(block),
      ).to.not.throw();
  });

  describe("with commands", () => {
    let check: CommandCheck;

    before(async () => {
      check = await commandCheck();
    });

    it("name tasks, options, scripts and files that are there, also if no test runs them", () => {
      const problems = commands.flatMap((block) =>
        check
          .findProblems(block.text)
          .filter((problem) => !problem.endsWith("nothing checks this program"))
          .map((problem) => `${placeOf(block)}: ${problem}`),
      );
      expect(problems).to.deep.equal([]);
    });

    it("name them in the unit of systemd and in the Dockerfile too", () => {
      const unit = /^ExecStart=.*cli\.js (.*)$/m.exec(
        readPage("docs/guides/systemd.md"),
      )?.[1];
      const image = /^CMD (\[.*\])$/m.exec(
        readPage("docs/guides/docker.md"),
      )?.[1];
      const words = JSON.parse(image ?? "[]") as readonly string[];
      for (const command of [unit ?? "", words.join(" ")]) {
        expect(command).to.match(/^sequencer:node /);
        expect(check.findProblems(`npx hardhat ${command}`)).to.deep.equal([]);
      }
    });
  });
});

describe("the check of blocks", () => {
  const block = (language: string, text: string): Block => ({
    page: "page.md",
    line: 1,
    language,
    text,
    comment: undefined,
  });

  it("notices wrong commands", async () => {
    const { findProblems } = await commandCheck();
    for (const command of [
      "npx hardhat sequencer:walk",
      "npx hardhat sequencer:run --intent 200",
      "npm install && npx hardhat sequencer:run --nodse 3",
      "A=1 npm run benhc",
      "npm run bench -- --onyl latency",
      "npx mocha test/ledger/nothing.ts",
      "npx hardhat test mocha test/ledger/nothing.ts   # a comment",
      "rm -rf /",
    ])
      expect(findProblems(command), command).to.have.lengthOf(1);
    expect(
      findProblems("npx hardhat sequencer:run --intents 200"),
    ).to.deep.equal([]);
  });

  it("notices wrong types, with their line", function () {
    this.timeout(60_000);
    const [problem] = typeProblems([
      block("ts", 'const a = "a";\nawait cluster.node("bob").crush();'),
    ]);
    expect(problem).to.match(/^page\.md:3: error TS2551/);
  });

  it("notices blocks that no test runs", () => {
    const page = [
      "```toml\na\n```",
      "<!-- illustrative -->\n\n```sh\nb\n```",
      "<!-- illustrative: it takes hours -->\n\n```sh\nc\n```",
      "```text\noutput of a command that is not run\n```",
      "```sh\nd\n```",
      "```text\noutput\n```",
      "```text\nmore, after no command\n```",
    ].join("\n\n");
    expect(
      withoutTest(blocksOf("page.md", page)).map(({ text }) => text),
    ).to.deep.equal([
      "a",
      "b",
      "output of a command that is not run",
      "more, after no command",
    ]);
  });

  it("takes only a comment right before a block for its mark", () => {
    const page =
      "<!-- illustrative -->\n\n```sh\na\n```\n\ntext\n\n```sh\nb\n```\n";
    expect(
      blocksOf("page.md", page).map(({ comment }) => comment),
    ).to.deep.equal(["illustrative", undefined]);
  });
});
