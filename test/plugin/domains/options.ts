import { expect } from "chai";

import type { RunningCluster } from "../../../src/plugin/connection/types.ts";
import {
  createToken,
  type Token,
} from "../../../src/plugin/domains/notarised-token.ts";
import {
  createCoins,
  type OwnedCoins,
} from "../../../src/plugin/domains/owned-coins.ts";
import {
  aConnection,
  closeConnections,
  confirmed,
  soon,
} from "../helpers/connection.ts";
import { expectError } from "../helpers/errors.ts";

const by = "till@alice";
const from = by;
const to = "till@bob";
const amount = 1n;
const lockId = `0x${"1".repeat(64)}`;
const recipients = [{ to, amount }];

/** A call as somebody writes it who has no compiler, and what the error must name. */
type Wrong = readonly [
  method: string,
  args: readonly unknown[],
  ...named: readonly string[],
];

describe("options of helpers", function () {
  this.timeout(60_000);
  let cluster: RunningCluster;
  let coins: OwnedCoins;
  let token: Token;

  before(async function () {
    const { sequencer } = await aConnection();
    cluster = await sequencer.start({ nodes: 2, settings: soon });
    coins = await createCoins(cluster, { issuers: [by] });
    token = await createToken(cluster);
  });
  after(closeConnections);

  async function expectRefused(
    target: object,
    [method, args, ...named]: Wrong,
  ): Promise<void> {
    const found: unknown = Reflect.get(target, method);
    if (typeof found !== "function") throw new Error(`No method ${method}`);
    const error = await expectError("OPTIONS_INVALID", async () => {
      await Reflect.apply(found, target, args);
    });
    for (const text of [`${method}()`, ...named])
      expect(error.message).to.include(text);
  }

  it("are the same for coins and tokens", async function () {
    const issued = await coins.issue({ by, to, amount: 5n });
    const dependsOn = [issued];
    const paid = await coins.issue({ by, to, amount }, { dependsOn });
    const minted = await token.mint({ by, to, amount: 5n });
    const more = await token.mint(
      { by, to, amount },
      { dependsOn: [minted.id] },
    );
    await confirmed([issued, paid, minted, more]);
    await cluster.synced();
    for (const helper of [coins, token]) {
      expect(await helper.balanceOf(to)).to.equal(6n);
      expect(await helper.balanceOf(to, { at: "alice" })).to.equal(6n);
    }
  });

  it("are refused by name if a token does not know them", async function () {
    const wrong: readonly Wrong[] = [
      ["mint", [{ from, to, amount }], "by: ", "from: unknown"],
      [
        "mint",
        [{ by, to, amount, memo: "x" }],
        "memo: unknown, expected one of by, to, amount",
      ],
      ["mint", [{ by, to }], "amount: "],
      ["mint", [{ by, to, amount: "1" }], "amount: "],
      ["mint", [undefined], "the options: "],
      ["mint", [{ by, to, amount }, { dependOn: [] }], "dependOn: unknown"],
      ["mint", [{ by, to, amount }, { dependsOn: "0x" }], "dependsOn: "],
      ["mint", [{ by, to, amount }, { from }], "from: unknown"],
      ["transfer", [{ by, to, amount }], "by: unknown", "from: "],
      ["transferWhenFunded", [{ from, amount }], "to: "],
      ["burn", [{ from, to, amount }], "to: unknown"],
      ["lock", [{ from, amounts: 1 }], "amounts: unknown", "amount: "],
      ["unlock", [{ from, lockId }], "recipients: "],
      [
        "unlock",
        [{ from, lockId, recipients: [{ to }] }],
        "recipients.0.amount: ",
      ],
      [
        "prepareUnlock",
        [{ from, lockId, recipients, data: "0x" }],
        "data: unknown",
      ],
      ["delegateLock", [{ from, lockId, delegate: to }], "by: "],
      [
        "balanceOf",
        [to, { node: "alice" }],
        "node: unknown, expected one of at",
      ],
      ["balanceOf", ["alice", to], "the options: "],
      ["lockOf", [lockId], "the options: "],
    ];
    for (const one of wrong) await expectRefused(token, one);
  });

  it("are refused by name if coins do not know them", async function () {
    const wrong: readonly Wrong[] = [
      ["issue", [{ from, to, amount }], "by: ", "from: unknown"],
      ["issue", [{ by, to, amount }, { data: "0x" }], "data: unknown"],
      ["pay", [{ by, to, amount }], "from: ", "by: unknown"],
      ["pay", [{ from, to, amount: null }], "amount: "],
      ["redeem", [{ from, to, amount }], "to: unknown"],
      ["merge", [from], "the options: "],
      ["merge", [{ account: from }], "account: unknown", "from: "],
      ["balanceOf", [to, { on: "alice" }], "on: unknown"],
    ];
    for (const one of wrong) await expectRefused(coins, one);
  });

  it("are refused by name when groups are made and used", async function () {
    const wrong: readonly (readonly [object, Wrong])[] = [
      [
        { createCoins },
        ["createCoins", [cluster, { issuer: [by] }], "issuer: unknown"],
      ],
      [
        { createCoins },
        ["createCoins", [cluster, { issuers: by }], "issuers: "],
      ],
      [
        { createToken },
        ["createToken", [cluster, { allowBurns: true }], "allowBurns: unknown"],
      ],
      [
        { createToken },
        ["createToken", [cluster, { allowBurn: "no" }], "allowBurn: "],
      ],
      [
        cluster,
        [
          "createGroup",
          [{ domains: "group-token" }],
          "domains: unknown",
          "domain: ",
        ],
      ],
      [cluster, ["createGroup", [], "the options: "]],
      [
        coins.group,
        ["send", ["alice", "merge", {}, { form: "x" }], "form: unknown"],
      ],
      [
        coins.group,
        [
          "query",
          ["alice", "balanceOf", { account: by }, { at: "x" }],
          "at: unknown",
        ],
      ],
    ];
    for (const [target, one] of wrong) await expectRefused(target, one);
  });
});
