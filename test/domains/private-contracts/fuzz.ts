import { expect } from "chai";
import fc from "fast-check";

import { toHex } from "../../../src/ledger/index.ts";
import { DomainRefusal, type Json } from "../../../src/domains/domain.ts";
import {
  freshIntentId,
  nodeName,
  type PlayedGroup,
} from "../../helpers/domains/played-group.ts";
import {
  compiled,
  deploy,
  openContracts,
  type PlayedContract,
} from "../../helpers/domains/private-contracts.ts";

const signatures = [
  "deploy(bytes)",
  "invoke(address,bytes)",
  "call(address,bytes)",
  "addressOf(string)",
  "transfer(string,uint256)",
  "",
];

const json = fc.jsonValue() as fc.Arbitrary<Json>;
const hex = fc
  .uint8Array({ maxLength: 64 })
  .map((bytes): string => toHex(bytes));
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): string => toHex(bytes));
const argument = fc.oneof(json, hex, address, fc.string());
const args = fc.oneof(
  fc.record({ bytecode: argument }),
  fc.record({ to: argument, data: argument }),
  fc.record({ identity: argument }),
  fc.dictionary(fc.string(), argument),
);

/** Code that mostly does something: instructions that exist, and small numbers to work with. */
const instruction = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0x5f, 0x60, 0x60, 0x80, 0x90, 0x5b) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  {
    weight: 3,
    // Storage, calls, creations, logs, destruction, and what they work on.
    arbitrary: fc.constantFrom(
      ...[0x30, 0x31, 0x33, 0x35, 0x3b, 0x3c, 0x3f, 0x40, 0x47, 0x51, 0x52],
      ...[0x54, 0x55, 0x56, 0x57, 0x5a, 0xa0, 0xa1, 0xf0, 0xf1, 0xf3, 0xf4],
      ...[0xf5, 0xfa, 0xfd, 0xff],
    ),
  },
);
const code = fc
  .array(instruction, { minLength: 1, maxLength: 60 })
  .map((bytes) => toHex(Uint8Array.from(bytes)));

describe("Private contracts", function () {
  this.timeout(120_000);
  let group: PlayedGroup;
  let tool: PlayedContract;

  before(async () => {
    group = await openContracts({ configuration: { gasLimit: "400000" } });
    tool = await deploy(group, "alice", await compiled("Tool"), [3n]);
  });

  it("refuse what makes no sense, and never fail otherwise", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...signatures),
        args,
        fc.oneof(fc.constant("alice"), fc.string()),
        async (signature, given, from) => {
          const asked = { signature, args: given, from };
          for (const attempt of [
            () => group.send("alice", asked),
            () => group.query("alice", asked),
          ])
            await attempt().catch((error: unknown) => {
              if (!(error instanceof DomainRefusal)) throw error;
              expect(error.message).to.match(/\.$/);
            });
        },
      ),
      { numRuns: 1_000, seed: 4_711 },
    );
  });

  it("revert a payload that nobody could have meant", async () => {
    const payload = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record(
          { from: argument, to: argument, data: argument, more: json },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(payload, async (text) => {
        const sender = nodeName("bob");
        const intent = { id: freshIntentId(), sender, payload: text };
        const ended = await group.settle(intent);
        expect(ended.type).to.equal("reverted");
      }),
      { numRuns: 1_000, seed: 4_711 },
    );
  });

  it("run any code, and every endorser comes to the same", async () => {
    const ends = { confirmed: 0, reverted: 0, parked: 0 };
    await fc.assert(
      fc.asyncProperty(code, hex, async (bytecode, data) => {
        const deployed = await group.send("carol", {
          signature: "deploy(bytes)",
          args: { bytecode },
        });
        // As code of a contract, rather than as code that makes one: PUSHn, MSTORE, RETURN.
        const runtime = bytecode.slice(2);
        const size = (runtime.length / 2).toString(16).padStart(2, "0");
        const made = await group.send("carol", {
          signature: "deploy(bytes)",
          args: {
            bytecode: `0x60${size}80600b6000396000f3${runtime}`,
          },
        });
        ends[deployed.type] += 1;
        if (made.type !== "confirmed") return;
        const { receipt } = made.receipt as unknown as {
          readonly receipt: { readonly contractAddress: string };
        };
        const called = await group.send("bob", {
          signature: "invoke(address,bytes)",
          args: { to: receipt.contractAddress, data },
        });
        ends[called.type] += 1;
      }),
      { numRuns: 300, seed: 4_711 },
    );
    expect(ends.confirmed).to.be.greaterThan(30);
    expect(ends.reverted).to.be.greaterThan(30);
    expect(ends.parked).to.equal(0);
    expect(await tool.call("alice", "uses")).to.equal(3n);
  });
});
