import { expect } from "chai";
import { id, ZeroHash } from "ethers";

import type { SequencerErrorCode } from "../../../src/plugin/errors.ts";
import { parseOptions } from "../../../tasks/deploy/options.ts";
import type { DeployOptions } from "../../../tasks/deploy/options.ts";
import { members } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

const three = members.join(",");
const [one] = members;

describe("plugin: deploy options", function () {
  it("asks for no group without members", function () {
    expect(parseOptions({}).group).to.equal(undefined);
  });

  it("puts members in order and takes a majority of them", function () {
    const group = parseOptions({ members: three.replaceAll(",", " , ") }).group;
    expect(group?.config.members).to.deep.equal([...members].reverse());
    expect(group?.config.threshold).to.equal(2);
    expect(group?.config.externalCalls).to.equal(false);
    expect(group?.salt).to.equal(ZeroHash);
    expect(group?.name).to.equal("main");
  });

  it("accepts addresses without a checksum", function () {
    const group = parseOptions({ members: three.toLowerCase() }).group;
    expect(group?.config.members).to.deep.equal([...members].reverse());
  });

  it("takes more than half of an even number", function () {
    const four = `${three},0x${"44".repeat(20)}`;
    expect(parseOptions({ members: four }).group?.config.threshold).to.equal(3);
  });

  it("takes 32 bytes as they are and hashes any other text", function () {
    const salt = `0x${"AB".repeat(32)}`;
    const saltOf = (text: string): string | undefined =>
      parseOptions({ members: one, salt: text }).group?.salt;
    expect(saltOf(salt)).to.equal(salt.toLowerCase());
    expect(saltOf("trade desk")).to.equal(id("trade desk"));
  });

  const wrong: readonly (readonly [
    string,
    DeployOptions,
    SequencerErrorCode,
  ])[] = [
    ["a short address", { members: "0x1234" }, "ADDRESS_INVALID"],
    ["an empty list", { members: "" }, "ADDRESS_INVALID"],
    ["a comma too many", { members: `${three},` }, "ADDRESS_INVALID"],
    [
      "a wrong checksum",
      { members: one.replace("F", "f") },
      "ADDRESS_CHECKSUM",
    ],
    ["a member twice", { members: `${three},${one}` }, "MEMBER_DUPLICATE"],
    ["the zero address", { members: `0x${"0".repeat(40)}` }, "MEMBER_ZERO"],
    [
      "256 members",
      {
        members: Array.from(
          { length: 256 },
          (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`,
        ).join(","),
      },
      "MEMBERS_TOO_MANY",
    ],
    ["threshold 0", { members: three, threshold: "0" }, "THRESHOLD_INVALID"],
    ["threshold 4", { members: three, threshold: "4" }, "THRESHOLD_INVALID"],
    ["threshold -1", { members: three, threshold: "-1" }, "THRESHOLD_INVALID"],
    [
      "threshold 1.5",
      { members: three, threshold: "1.5" },
      "THRESHOLD_INVALID",
    ],
    [
      "threshold two",
      { members: three, threshold: "two" },
      "THRESHOLD_INVALID",
    ],
    ["a short salt", { members: three, salt: "0x1234" }, "SALT_INVALID"],
    ["an empty salt", { members: three, salt: "" }, "SALT_INVALID"],
    [
      "a name with spaces",
      { members: three, name: "a b" },
      "GROUP_NAME_INVALID",
    ],
    ["a threshold alone", { threshold: "1" }, "MEMBERS_MISSING"],
    ["external calls alone", { externalCalls: true }, "MEMBERS_MISSING"],
    ["a salt alone", { salt: "x" }, "MEMBERS_MISSING"],
    ["a name alone", { name: "x" }, "MEMBERS_MISSING"],
    ["no time at all", { timeout: 0 }, "COUNT_INVALID"],
    ["no confirmation", { confirmations: 0 }, "COUNT_INVALID"],
  ];
  for (const [what, options, code] of wrong)
    it(`refuses ${what} with ${code}`, async function () {
      await expectError(code, () => parseOptions(options));
    });
});
