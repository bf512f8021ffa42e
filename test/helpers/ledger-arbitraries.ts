import fc from "fast-check";

import {
  type Address,
  buildCommitteeChange,
  type Bytes32,
  type CommitteeChange,
  type ExternalCall,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseStateId,
  parseUint64,
  type Transition,
  toHex,
  UINT64_MAX,
} from "../../src/ledger/index.ts";

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });

export const anyBytes32: fc.Arbitrary<Bytes32> = fc.oneof(
  {
    weight: 8,
    arbitrary: bytes(32).map((value) => parseBytes32(toHex(value))),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      parseBytes32(`0x${"00".repeat(32)}`),
      parseBytes32(`0x${"ff".repeat(32)}`),
    ),
  },
);

export const anyAddress: fc.Arbitrary<Address> = bytes(20).map((value) =>
  parseAddress(toHex(value)),
);

export const anyUint64 = fc
  .oneof(
    fc.bigInt({ min: 0n, max: UINT64_MAX }),
    fc.constantFrom(0n, 1n, UINT64_MAX - 1n, UINT64_MAX),
  )
  .map((value) => parseUint64(value));

const anyCall: fc.Arbitrary<ExternalCall> = fc.record({
  target: anyAddress,
  data: fc
    .uint8Array({ maxLength: 100 })
    .map((value) => parseHex(toHex(value))),
  gasMin: anyUint64,
});

/** Any transition at all, whether or not the contract would take it. */
export const anyTransition: fc.Arbitrary<Transition> = fc.record({
  epoch: anyUint64,
  intents: fc.array(
    anyBytes32.map((id) => parseIntentId(id)),
    { maxLength: 6 },
  ),
  inputs: fc.array(
    anyBytes32.map((id) => parseStateId(id)),
    { maxLength: 6 },
  ),
  reads: fc.array(
    anyBytes32.map((id) => parseStateId(id)),
    { maxLength: 6 },
  ),
  outputs: fc.array(
    anyBytes32.map((id) => parseCommitment(id)),
    { maxLength: 6 },
  ),
  details: anyBytes32,
  validUntil: anyUint64,
  calls: fc.array(anyCall, { maxLength: 3 }),
});

export const anyCommitteeChange: fc.Arbitrary<CommitteeChange> = fc
  .record({
    epoch: anyUint64,
    validUntil: anyUint64,
    members: fc.uniqueArray(anyAddress, { minLength: 1, maxLength: 12 }),
    threshold: fc.nat(255),
  })
  .filter(({ members }) => !members.some((member) => /^0x0+$/.test(member)))
  .map((parts) =>
    buildCommitteeChange({
      ...parts,
      threshold: 1 + (parts.threshold % parts.members.length),
    }),
  );

/** Values that a hostile or careless peer may send where an id is expected. */
export const anyJunk: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything(),
  fc.string(),
  fc.constantFrom<unknown>(
    "",
    "0x",
    "0X" + "11".repeat(32),
    "0x" + "11".repeat(31),
    "0x" + "11".repeat(33),
    "0x" + "1".repeat(63),
    "0x" + "g1".repeat(32),
    " 0x" + "11".repeat(32),
    "0x" + "11".repeat(32) + "\n",
    "11".repeat(32),
    "__proto__",
    "constructor",
    "0x" + "ab".repeat(500_000),
    null,
    undefined,
    NaN,
    Infinity,
    -0,
    -1,
    1.5,
    2 ** 64,
    1n << 100_000n,
    -1n,
    [],
    {},
    JSON.parse('{"__proto__": {"epoch": 1}}'),
    Object.create(null),
    new Proxy({}, {}),
    () => "0x" + "11".repeat(32),
    Symbol("0x"),
    new String("0x" + "11".repeat(32)),
    { toString: () => "0x" + "11".repeat(32), length: 66 },
  ),
);
