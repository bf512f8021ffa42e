import { expect } from "chai";

import { portMover } from "../../scripts/story/ports.ts";
import { stepsOf } from "../../scripts/story/script.ts";
import { readPage } from "../helpers/docs/blocks.ts";
import { isGuide } from "../helpers/docs/executors.ts";
import { userPages } from "../helpers/docs/pages.ts";
import { Players, type Server } from "../helpers/docs/pages/players.ts";
import { PagesProject } from "../helpers/docs/pages/project.ts";
import { runBlocks, writeBlocks } from "../helpers/docs/pages/run-blocks.ts";

/** Pages for contributors: their commands are those of the repository. */
const here = new Set([
  "CONTRIBUTING.md",
  "docs/testing.md",
  "docs/performance.md",
]);

/** Pages whose commands ask a node that they do not start. */
const served: Readonly<Record<string, Server>> = {
  "docs/reference/call.md": "four nodes",
  "docs/reference/drain.md": "alice",
  "docs/reference/explain.md": "four nodes",
  "docs/reference/receipt.md": "four nodes",
  "docs/reference/rpc.md": "four nodes",
  "docs/reference/status.md": "four nodes",
  "docs/reference/submit.md": "four nodes",
  "docs/guides/systemd.md": "alice",
  "docs/reference/group.md": "alice",
};

/** Those that start nodes of their own come first, and those with the same server after each other. */
const order = (page: string): string => served[page] ?? "";

const pages = userPages()
  .filter((page) => !isGuide(page))
  .filter((page) => stepsOf(page, readPage(page)).length > 0)
  .sort((a, b) => order(a).localeCompare(order(b)));

describe("pages, as a reader follows them", function () {
  this.timeout(600_000);
  let project: PagesProject;
  let players: Players;

  before(async () => {
    const usual = [8545, 8550, 8552, 8554, 8556, 8560, 8562, 8570, 8572];
    const moved = await portMover([...usual, 8650, 8651, 8652].map(String));
    project = new PagesProject(moved);
    writeBlocks(project);
    players = new Players(project, moved);
  });

  after(async () => {
    await players.stop();
    project.remove();
  });

  it("are many", () => {
    expect(pages.length).to.be.greaterThan(15);
    for (const page of Object.keys(served)) expect(pages).to.include(page);
  });

  it("have TypeScript and Solidity that runs", () => {
    runBlocks(project);
  });

  describe("with a chain and nodes", () => {
    before(async () => {
      await players.start();
    });

    for (const page of pages)
      it(`have commands that do what ${page} says`, async () => {
        const text = readPage(page);
        if (here.has(page)) await players.playHere(page, text);
        else await players.play(page, text, served[page]);
      });
  });
});
