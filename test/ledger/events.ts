import { expect } from "chai";
import { Interface } from "ethers";
import fc from "fast-check";

import {
  atomFactoryInterface,
  decodeLogs,
  type LedgerLog,
  parseAddress,
  parseBytes32,
  parseIntentId,
  privacyGroupFactoryInterface,
  privacyGroupInterface,
  toHex,
  topicOf,
} from "../../src/ledger/index.ts";
import {
  anyAddress,
  anyBytes32,
  anyCommitteeChange,
} from "../helpers/ledger-arbitraries.ts";

const group = parseAddress(`0x${"ab".repeat(20)}`);
const other = parseAddress(`0x${"cd".repeat(20)}`);
const [first, second, third] = ["11", "22", "33"].map((byte) =>
  parseIntentId(`0x${byte.repeat(32)}`),
);

interface LogParts {
  readonly address?: string;
  readonly transactionHash?: string;
}

function log(
  contract: Interface,
  name: string,
  values: readonly unknown[],
  parts: LogParts = {},
): LedgerLog {
  return {
    address: group,
    transactionHash: "0x1",
    ...contract.encodeEventLog(name, values),
    ...parts,
  };
}
const fulfilled = (intentId: unknown, parts?: LogParts): LedgerLog =>
  log(privacyGroupInterface, "IntentFulfilled", [intentId], parts);
const transitioned = (hash: unknown, parts?: LogParts): LedgerLog =>
  log(privacyGroupInterface, "Transitioned", [hash, [], []], parts);
const summaries = (logs: readonly LedgerLog[]): readonly unknown[] =>
  decodeLogs(logs).map((fact) =>
    fact.type === "Transitioned" ? [fact.address, ...fact.intents] : fact.type,
  );

describe("ledger: events", function () {
  this.timeout(30_000);

  it("say what was logged", function () {
    fc.assert(
      fc.property(
        anyCommitteeChange,
        fc.array(anyBytes32),
        fc.array(anyBytes32),
        anyBytes32,
        anyAddress,
        fc.boolean(),
        (change, inputs, outputs, hash, address, externalCalls) => {
          const { epoch, members, threshold } = change;
          const logs = [
            log(privacyGroupFactoryInterface, "GroupCreated", [
              group,
              address,
              hash,
              members,
              threshold,
              externalCalls,
            ]),
            fulfilled(hash),
            log(privacyGroupInterface, "Transitioned", [hash, inputs, outputs]),
            log(privacyGroupInterface, "TransitionApproved", [hash, address]),
            log(privacyGroupInterface, "CommitteeChanged", [
              epoch,
              members,
              threshold,
            ]),
            log(atomFactoryInterface, "AtomExecuted", [address]),
          ];
          const from = (index: number): unknown => ({
            address: group,
            log: logs[index],
          });
          const at = (index: number, event: object): unknown => ({
            ...event,
            ...(from(index) as object),
          });
          expect(decodeLogs(logs)).to.deep.equal([
            at(0, {
              type: "GroupCreated",
              group,
              creator: address,
              salt: hash,
              members,
              threshold,
              externalCalls,
            }),
            at(2, {
              type: "Transitioned",
              transitionHash: hash,
              intents: [hash],
              inputs,
              outputs,
            }),
            at(3, {
              type: "TransitionApproved",
              transitionHash: hash,
              delegate: address,
            }),
            at(4, { type: "CommitteeChanged", epoch, members, threshold }),
            at(5, { type: "AtomExecuted", atom: address }),
          ]);
        },
      ),
    );
  });

  it("link every transition to its own intents", function () {
    const elsewhere = { address: other };
    const later = { transactionHash: "0x2" };
    const hash = parseBytes32(`0x${"99".repeat(32)}`);
    expect(
      summaries([
        fulfilled(first),
        fulfilled(second),
        transitioned(hash),
        // One transaction may carry out transitions of several groups, and several of one group.
        fulfilled(third),
        fulfilled(first, elsewhere),
        transitioned(hash, elsewhere),
        transitioned(hash),
        fulfilled(second, later),
        transitioned(hash, later),
      ]),
    ).to.deep.equal([
      [group, first, second],
      [other, first],
      [group, third],
      [group, second],
    ]);
  });

  it("that no contract of ours can have logged are reported, each on its own", function () {
    const hash = parseBytes32(`0x${"99".repeat(32)}`);
    const good = [fulfilled(first), transitioned(hash)];
    const cut = (entry: LedgerLog): LedgerLog => ({
      ...entry,
      data: entry.data.slice(0, 66),
    });
    const cases: readonly (readonly [
      readonly LedgerLog[],
      readonly unknown[],
    ])[] = [
      [[transitioned(hash)], ["Malformed"]],
      [[fulfilled(first)], ["Malformed"]],
      [
        [fulfilled(first), transitioned(hash, { transactionHash: "0x2" })],
        ["Malformed", "Malformed"],
      ],
      [
        [fulfilled(first), cut(transitioned(hash))],
        ["Malformed", "Malformed"],
      ],
      [
        [{ ...fulfilled(first), topics: [topicOf("IntentFulfilled")] }],
        ["Malformed"],
      ],
      [[{ ...transitioned(hash), address: "0x12" }], ["Malformed"]],
      [[{ ...transitioned(hash), data: "junk" }], ["Malformed"]],
      [[{ ...transitioned(hash), topics: [] }], []],
      [[{ ...transitioned(hash), topics: [hash] }], []],
    ];
    for (const [logs, expected] of cases) {
      expect(summaries(logs)).to.deep.equal(expected);
      expect(
        summaries([
          ...logs,
          ...good.map((entry) => ({ ...entry, transactionHash: "0x9" })),
        ]),
      ).to.deep.equal([...expected, [group, first]]);
    }
  });

  it("never make the decoder throw, whatever the data", function () {
    const topics = (
      [
        "IntentFulfilled",
        "Transitioned",
        "TransitionApproved",
        "CommitteeChanged",
        "GroupCreated",
        "AtomExecuted",
      ] as const
    ).map(topicOf);
    const anyWord = fc.oneof(
      anyBytes32,
      fc
        .integer({ min: 0, max: 300 })
        .map((value) =>
          parseBytes32(`0x${value.toString(16).padStart(64, "0")}`),
        ),
    );
    const anyLog: fc.Arbitrary<LedgerLog> = fc.record({
      address: fc.oneof(anyAddress, fc.string()),
      transactionHash: fc.constantFrom("0x1", "0x2"),
      topics: fc
        .tuple(
          fc.constantFrom(...topics),
          fc.array(fc.oneof({ weight: 5, arbitrary: anyWord }, fc.string()), {
            maxLength: 3,
          }),
        )
        .map(([topic, rest]) => [topic, ...rest]),
      data: fc.oneof(
        fc
          .array(anyWord, { maxLength: 12 })
          .map((words) => `0x${words.map((word) => word.slice(2)).join("")}`),
        fc.uint8Array({ maxLength: 100 }).map((bytes): string => toHex(bytes)),
        fc.string(),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 6 }), (logs) => {
        expect(decodeLogs(logs).length).to.be.at.most(logs.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
