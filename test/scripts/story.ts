import { expect } from "chai";

import { movePorts } from "../../scripts/story/ports.ts";
import { Ids, stepsOf } from "../../scripts/story/script.ts";

const id = "2b23165c-0953-4af2-866d-e7a6017b7676";
const own = "00000000-0000-4000-8000-000000000001";

const page = `
<!-- set-up -->

\`\`\`sh
npm install
\`\`\`

\`\`\`sh
npx hardhat one
npx hardhat two \\
  --option
\`\`\`

\`\`\`text
took it as ${id}
Confirmed in block …
\`\`\`

<!-- exits with 1 -->

\`\`\`sh
npx hardhat three ${id}
\`\`\`

<!-- Ctrl-C: npx hardhat one -->

\`\`\`sh
npx hardhat four
\`\`\`

<!-- illustrative: only five reads it -->

\`\`\`text
no output
\`\`\`

<!-- illustrative: it takes hours -->

\`\`\`sh
npx hardhat five
\`\`\`
`;

describe("stories of examples", () => {
  it("have the commands of the page, with what it shows and says of them", () => {
    const none = { output: [], exitCode: 0, interrupted: undefined };
    expect(stepsOf("page.md", page)).to.deep.equal([
      {
        ...none,
        commands: ["npx hardhat one", "npx hardhat two    --option"],
        output: [`took it as ${id}`, "Confirmed in block …"],
      },
      { ...none, commands: [`npx hardhat three ${id}`], exitCode: 1 },
      {
        ...none,
        commands: ["npx hardhat four"],
        interrupted: "npx hardhat one",
      },
    ]);
  });

  it("give commands the ids that were printed in this run", () => {
    const ids = new Ids();
    const printed = [
      "other",
      `took it as ${own}`,
      "Confirmed in block 7, done",
    ];
    const expected = [`took it as ${id}`, "Confirmed in block …"];
    expect(ids.missingLine(expected, printed)).to.equal(undefined);
    expect(ids.translate(`receipt ${id}`)).to.equal(`receipt ${own}`);
    expect(ids.missingLine([`again ${id}`], [`again ${own}`])).to.equal(
      undefined,
    );
    expect(ids.missingLine([`again ${id}`], [`again ${id}`])).to.equal(
      `again ${id}`,
    );
  });

  it("notice lines that are missing, other or in another order", () => {
    for (const printed of [[], ["a"], ["b", "a"], ["a", "c"]])
      expect(new Ids().missingLine(["a", "b"], printed)).to.be.oneOf([
        "a",
        "b",
      ]);
    expect(new Ids().missingLine(["balance: 3"], ["balance: 30"])).to.equal(
      "balance: 3",
    );
    expect(new Ids().missingLine(["gas 26,247"], ["gas 27,002"])).to.equal(
      undefined,
    );
    expect(new Ids().missingLine(["gas 26,247"], ["gas 9,002"])).to.equal(
      "gas 26,247",
    );
    expect(new Ids().missingLine(["a   b"], ["  a b"])).to.equal(undefined);
  });

  it("use other ports than the page, all at the same distance", async () => {
    const [first = "", second = ""] = await movePorts([
      "http://127.0.0.1:8550 and 8545, amount 85500",
      'address: "127.0.0.1:8650"',
    ]);
    const [, one = "", two = ""] =
      /^http:\/\/127\.0\.0\.1:(\d+) and (\d+), amount 85500$/.exec(first) ?? [];
    expect(Number(one) - Number(two)).to.equal(5);
    expect(Number(one)).to.be.greaterThan(8_550);
    expect(second).to.equal(`address: "127.0.0.1:${Number(one) + 100}"`);
  });

  it("does not take a part of an id for a port", async () => {
    const texts = ["a8a7015c-8551-49ff-8550-48190a57a289", "0x8550"];
    expect(await movePorts(texts)).to.deep.equal(texts);
  });
});
