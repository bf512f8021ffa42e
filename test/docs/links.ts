import { existsSync, statSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { readPage, root } from "../helpers/docs/blocks.ts";
import { packedFiles } from "../helpers/docs/packed.ts";

interface Link {
  /** The file or folder, from the root. */
  readonly target: string;
  /** What comes after "#"; empty if nothing does. */
  readonly anchor: string;
}

/** Links of a page to other files of the package, and to its own headings. */
function linksOf(page: string): readonly Link[] {
  const text = readPage(page).replace(/^ *```[^]*?^ *```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address = ""]) => address)
    .filter((address) => !/^[a-z]+:/.test(address))
    .map((address) => {
      const [file = "", anchor = ""] = address.split("#");
      const target =
        file === "" ? page : path.join(path.dirname(page), decodeURI(file));
      return { target: target.replaceAll("\\", "/"), anchor };
    });
}

/** The anchors of a page's headings, as those who show Markdown make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readPage(page).replace(/^ *```[^]*?^ *```$/gm, "");
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("pages of the package", function () {
  this.timeout(60_000);
  let packed: ReadonlySet<string>;
  let pages: readonly string[];

  before(() => {
    packed = packedFiles();
    pages = [...packed].filter((file) => file.endsWith(".md"));
  });

  it("are README, guides, reference, decisions and examples", () => {
    expect(pages).to.include.members([
      "README.md",
      "CONTRIBUTING.md",
      "docs/glossary.md",
      "docs/decisions/README.md",
      "examples/own-domain/README.md",
    ]);
  });

  it("link only to files that are in the package too", () => {
    const bad = pages.flatMap((page) =>
      linksOf(page)
        .filter(({ target }) => !isPacked(target, packed))
        .map(({ target }) => `${page}: ${target}`),
    );
    expect(bad).to.deep.equal([]);
  });

  it("link only to headings that are there", () => {
    const bad = pages.flatMap((page) =>
      linksOf(page)
        .filter(({ target, anchor }) => anchor !== "" && target.endsWith(".md"))
        .filter(({ target, anchor }) => !anchorsOf(target).has(anchor))
        .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
    );
    expect(bad).to.deep.equal([]);
  });

  it("link to many files", () => {
    expect(pages.flatMap(linksOf).length).to.be.greaterThan(200);
  });
});

function isPacked(target: string, packed: ReadonlySet<string>): boolean {
  if (packed.has(target)) return true;
  const full = path.join(root, target);
  if (!existsSync(full) || !statSync(full).isDirectory()) return false;
  const folder = `${target.replace(/\/$/, "")}/`;
  return [...packed].some((file) => file.startsWith(folder));
}
