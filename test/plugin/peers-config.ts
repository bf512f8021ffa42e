import { expect } from "chai";

import configHandlers from "../../src/plugin/hook-handlers/config.ts";
import { parseHostAndPort } from "../../src/plugin/peers-config.ts";

const key = (digit: string): string => `0x${digit.repeat(64)}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;
const alice = {
  address: "10.0.0.7:8650",
  key: key("a"),
  endorser: address("1"),
};
const bob = {
  address: "bob.example:8650",
  key: key("b"),
  endorser: address("2"),
};

async function problemsOf(peers: unknown): Promise<readonly string[]> {
  const { validateUserConfig } = await configHandlers();
  // The type of the configuration would refuse most of what is tested here.
  const problems = await validateUserConfig?.({
    sequencer: { peers },
  } as never);
  return (problems ?? []).map(
    ({ path, message }) => `${path.slice(2).join(".")}: ${message}`,
  );
}

describe("plugin: configuration of peers", function () {
  it("takes hosts by name and by number", async function () {
    const carol = { address: "[::1]:1", key: key("c"), endorser: address("3") };
    expect(await problemsOf({ alice, bob, carol })).to.deep.equal([]);
    expect(await problemsOf(undefined)).to.deep.equal([]);
    expect(parseHostAndPort("[::1]:1")).to.deep.equal({ host: "::1", port: 1 });
    expect(parseHostAndPort("bob.example:65535")).to.deep.equal({
      host: "bob.example",
      port: 65_535,
    });
  });

  it("names all that is wrong at once, with its path", async function () {
    const problems = await problemsOf({
      alice: { ...alice, address: "10.0.0.7" },
      bob: { ...bob, key: "0xb" },
      carol: { address: "carol:1", key: key("c"), endorser: "carol" },
      "not a name": { address: "d:1", key: key("d"), endorser: address("4") },
    });
    expect(problems).to.have.length(4);
    expect(problems.join("\n"))
      .to.match(/alice\.address: Expected where the node listens/)
      .and.to.match(/bob\.key: .*sequencer:identity/)
      .and.to.match(/carol\.endorser: Expected an address/)
      .and.to.match(/not a name: Expected a name/);
  });

  it("refuses what nodes share: nobody could tell them apart", async function () {
    for (const field of ["address", "key", "endorser"] as const)
      expect(
        await problemsOf({
          alice,
          bob: {
            ...bob,
            [field]: alice[field].toUpperCase().replace("0X", "0x"),
          },
        }),
      ).to.deep.equal([
        `bob.${field}: alice has the same. Every node needs one of its own`,
      ]);
  });

  it("takes a list of addresses for a node with replicas", async function () {
    const address = Array.from({ length: 16 }, (_, n) => `r${n}.example:8650`);
    expect(await problemsOf({ alice: { ...alice, address }, bob })).to.be.empty;
    expect(
      await problemsOf({ alice: { ...alice, address: address.slice(0, 1) } }),
    ).to.be.empty;
  });

  it("bounds lists of addresses, and wants each address once", async function () {
    const many = Array.from({ length: 17 }, (_, n) => `r${n}.example:8650`);
    const rows: readonly (readonly [unknown, readonly string[]])[] = [
      [[], ["alice.address: Expected at least one address"]],
      [many, ["alice.address: Expected at most 16 addresses"]],
      [
        ["a.example:1", "b.example:1", "A.example:01"],
        [
          'alice.address.2: "A.example:01" is in the list twice. Remove one of them',
        ],
      ],
      [
        ["a.example:1", bob.address],
        ["bob.address: alice has the same. Every node needs one of its own"],
      ],
    ];
    for (const [address, problems] of rows)
      expect(
        await problemsOf({ alice: { ...alice, address }, bob }),
      ).to.deep.equal(problems);
    const shared = { ...bob, address: ["c.example:1", "a.example:1"] };
    expect(
      await problemsOf({
        alice: { ...alice, address: "a.example:1" },
        bob: shared,
      }),
    ).to.deep.equal([
      "bob.address.1: alice has the same. Every node needs one of its own",
    ]);
  });

  it("names a wrong address in a list by its path", async function () {
    for (const value of [null, 7, "", [], {}, "a:b:c", "host:0", "host"])
      expect(
        await problemsOf({
          alice: { ...alice, address: ["a.example:1", value] },
        }),
        JSON.stringify(value),
      ).to.deep.equal([
        'alice.address.1: Expected where the node listens: "host:port", as in "10.0.0.7:8650" or "[::1]:8650"',
      ]);
  });

  it("takes another account to pay with, if no other node uses it", async function () {
    const payer = address("5");
    expect(await problemsOf({ alice: { ...alice, payer }, bob })).to.be.empty;
    const own = { ...alice, payer: alice.endorser };
    expect(await problemsOf({ alice: own, bob })).to.be.empty;
    for (const taken of [{ payer }, { endorser: payer }])
      expect(
        await problemsOf({
          alice: { ...alice, payer: payer.toUpperCase().replace("0X", "0x") },
          bob: { ...bob, ...taken },
        }),
      ).to.include(
        "alice.payer: bob endorses or pays with the same. Every node needs one of its own",
      );
    for (const value of [null, 7, "", "payer", payer.slice(1)])
      expect(
        await problemsOf({ alice: { ...alice, payer: value } }),
        JSON.stringify(value),
      ).to.have.length(1);
  });

  it("refuses hostile values", async function () {
    const hostile = [
      null,
      7,
      "",
      [],
      {},
      "a:b:c",
      "host:0",
      "host:65536",
      "host:-1",
      ":80",
      "ho st:80",
      "host:80\n",
      "[::1:80",
      "x".repeat(300) + ":80",
    ];
    for (const value of hostile)
      expect(
        await problemsOf({ alice: { ...alice, address: value } }),
        JSON.stringify(value),
      ).to.have.length(1);
    for (const value of [
      null,
      7,
      "",
      key("g"),
      key("a").slice(1),
      `${key("a")}a`,
    ])
      expect(
        await problemsOf({ alice: { ...alice, key: value } }),
      ).to.have.length(1);
    expect(await problemsOf({ alice: { ...alice, more: 1 } })).to.have.length(
      1,
    );
    expect(await problemsOf([alice])).to.not.have.length(0);
    expect(await problemsOf(JSON.parse('{"__proto__":{}}'))).to.not.be.empty;
  });
});
