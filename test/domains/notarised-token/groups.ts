import { expect } from "chai";

import type { GroupPlan } from "../../../src/domains/domain.ts";
import { notarisedToken } from "../../../src/domains/notarised-token/notarised-token.ts";
import { nodeNamed } from "../../helpers/domains/states.ts";
import { aToken, refusal } from "../../helpers/domains/token.ts";

const plan = (
  configuration: Readonly<Record<string, string>> = {},
): GroupPlan => ({
  members: ["bank", "audit", "ann"].map(nodeNamed),
  configuration,
});

describe("notarised-token: groups", function () {
  it("has the first member as its notary unless told otherwise", function () {
    expect(notarisedToken.endorsersOf?.(plan())).to.deep.equal(["bank"]);
    expect(
      notarisedToken.endorsersOf?.(plan({ notaries: "audit, bank" })),
    ).to.deep.equal(["audit", "bank"]);
  });

  it("refuses settings that it does not know, and says which there are", async function () {
    const said = await refusal(() => {
      notarisedToken.checkGroup(plan({ restrictMints: "true" }));
    });
    expect(said).to.equal(
      'A notarised-token has no setting "restrictMints" ("true"). There are: notaries, restrictMint, allowBurn, allowLock, name, symbol.',
    );
  });

  for (const [configuration, said] of [
    [{ notaries: "eve" }, 'notaries names "eve", which is no member'],
    [{ notaries: "" }, 'notaries names "", which is no member'],
    [{ notaries: "bank,bank" }, 'names a member twice: "bank,bank"'],
    [{ restrictMint: "yes" }, 'restrictMint is "true" or "false", not "yes"'],
    [{ allowBurn: "" }, 'allowBurn is "true" or "false", not ""'],
    [{ allowLock: "TRUE" }, 'allowLock is "true" or "false", not "TRUE"'],
    [{ name: "x".repeat(65) }, "name has at most 64 characters"],
    [{ symbol: "x".repeat(65) }, "symbol has at most 64 characters"],
  ] as const)
    it(`refuses ${JSON.stringify(configuration).slice(0, 40)}`, async function () {
      expect(
        await refusal(() => {
          notarisedToken.checkGroup(plan(configuration));
        }),
      ).to.include(said);
    });

  it("answers its name and its symbol to every member", async function () {
    const play = aToken({ name: "Deposits", symbol: "DEP" });
    expect(await play.query("x@bob", "name")).to.deep.equal({
      "0": "Deposits",
    });
    expect(await play.query("x@bob", "symbol")).to.deep.equal({ "0": "DEP" });
    expect(await play.query("x@bob", "decimals")).to.deep.equal({ "0": "4" });
    expect(await aToken().query("x@bob", "name")).to.deep.equal({ "0": "" });
  });
});
