import { expect } from "chai";
import { Interface, type InterfaceAbi } from "ethers";
import fc from "fast-check";
import hre from "hardhat";

import {
  atomFactoryInterface,
  buildTransition,
  decodeLedgerError,
  encodeExecuteApproved,
  encodeExecuteAtom,
  explainLedgerError,
  type Hex,
  ledgerErrorAbi,
  ledgerErrorOf,
  parseAddress,
  parseBytes32,
  parseHex,
  parseIntentId,
  parseUint64,
  privacyGroupAbi,
  revertDataOf,
  toHex,
} from "../../src/ledger/index.ts";
import { openChain } from "../helpers/chain.ts";
import {
  anyAddress,
  anyBytes32,
  anyJunk,
} from "../helpers/ledger-arbitraries.ts";

const errors = new Interface(ledgerErrorAbi);
const target = parseAddress(`0x${"ab".repeat(20)}`);
const intent = parseIntentId(`0x${"11".repeat(32)}`);

const anyArgument: Record<string, fc.Arbitrary<unknown>> = {
  bytes32: anyBytes32,
  address: anyAddress,
  uint64: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  uint256: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  bytes: fc.uint8Array({ maxLength: 90 }).map(toHex),
  string: fc.string({ unit: "grapheme", maxLength: 40 }),
};

describe("ledger: errors", function () {
  this.timeout(60_000);

  for (const name of [
    "PrivacyGroup",
    "PrivacyGroupFactory",
    "AtomFactory",
    "Atom",
  ]) {
    it(`knows every error of ${name}`, async function () {
      const { abi } = await hre.artifacts.readArtifact(name);
      const declared: string[] = [];
      new Interface(abi as InterfaceAbi).forEachError((error) =>
        declared.push(error.format("full")),
      );
      expect(ledgerErrorAbi).to.include.members(declared);
    });
  }

  errors.forEachError((fragment) => {
    it(`reads and explains ${fragment.name}`, function () {
      const anyArguments = fc.tuple(
        ...fragment.inputs.map(
          ({ type }) => anyArgument[type] ?? fc.constant(undefined),
        ),
      );
      fc.assert(
        fc.property(anyArguments, (values) => {
          const data = parseHex(errors.encodeErrorResult(fragment, values));
          const decoded = decodeLedgerError(data);
          const { cause, ...rest } = { cause: undefined, ...decoded };
          expect(rest).to.deep.equal({
            type: fragment.name,
            ...Object.fromEntries(
              fragment.inputs.map(({ name }, i) => [name, values[i]]),
            ),
          });
          if (decoded.type === "ExternalCallFailed")
            expect(cause).to.deep.equal(decodeLedgerError(decoded.reason));
          const sentence = explainLedgerError(decoded);
          expect(sentence)
            .to.match(/^[^\n]+[;:,] ?[^\n]+\.$/)
            .and.not.include("undefined");
        }),
        { numRuns: 50 },
      );
    });
  });

  it("never throws, whatever the data", function () {
    const selectors: string[] = [];
    errors.forEachError(({ selector }) => selectors.push(selector));
    const anyData = fc
      .tuple(
        fc.constantFrom("0x", ...selectors),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([selector, rest]) => parseHex(selector + toHex(rest).slice(2)));
    fc.assert(
      fc.property(anyData, (data) => {
        expect(explainLedgerError(decodeLedgerError(data))).to.be.a("string");
      }),
      { numRuns: 3_000 },
    );
    expect(decodeLedgerError(parseHex("0x"))).to.deep.equal({
      type: "NoReason",
    });
    expect(decodeLedgerError(parseHex("0x1234"))).to.deep.equal({
      type: "Unknown",
      data: "0x1234",
    });
    expect(decodeLedgerError(parseHex("0x12345678"))).to.deep.equal({
      type: "Unknown",
      data: "0x12345678",
    });
  });

  it("follows failed calls down, but not for ever", function () {
    let data: Hex = parseHex(
      errors.encodeErrorResult("ReentrancyGuardReentrantCall"),
    );
    const nest = (): void => {
      data = parseHex(
        errors.encodeErrorResult("ExternalCallFailed", [1, target, data]),
      );
    };
    nest();
    nest();
    expect(decodeLedgerError(data)).to.have.nested.property(
      "cause.cause.type",
      "ReentrancyGuardReentrantCall",
    );
    expect(explainLedgerError(decodeLedgerError(data))).to.include(
      "call back into the group",
    );
    for (let i = 0; i < 20; i++) nest();
    expect(
      JSON.stringify(decodeLedgerError(data), (_, value: unknown) =>
        typeof value === "bigint" ? 0 : value,
      ),
    ).to.include("Unknown");
  });

  it("finds the revert data in what ethers and Hardhat throw", async function () {
    const { ethers, provider } = await hre.network.create();
    const factory = await ethers.deployContract("PrivacyGroupFactory");
    const implementation = (await factory
      .getFunction("implementation")
      .staticCall()) as string;
    const [signer] = await ethers.getSigners();
    const group = new ethers.Contract(implementation, privacyGroupAbi, signer);

    const transition = buildTransition({ epoch: 0n, intents: [intent] });
    const nobody = { signers: 0, signatures: [] };
    const call = {
      to: implementation,
      data: encodeExecuteApproved(transition),
    };
    const ways: Record<string, () => Promise<unknown>> = {
      "a contract's call": async () => {
        await group.getFunction("committee").staticCall();
      },
      "a contract's estimate": async () =>
        await group.getFunction("execute").estimateGas(transition, nobody),
      "a contract's transaction": async () =>
        await group.getFunction("executeApproved").send(transition),
      "a signer's transaction": async () =>
        await signer?.sendTransaction({ ...call, gasLimit: 500_000 }),
      "a provider's call": async () => await ethers.provider.call(call),
      "a raw call": async () => {
        await provider.request({ method: "eth_call", params: [call] });
      },
      "a raw transaction": async () => {
        const params = [{ ...call, from: signer?.address }];
        await provider.request({ method: "eth_sendTransaction", params });
      },
    };
    for (const [way, run] of Object.entries(ways)) {
      const thrown = await run().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(ledgerErrorOf(thrown), way).to.deep.equal({
        type: "PrivacyGroupNotAnInstance",
      });
    }
  });

  it("finds it in what nodes answer over HTTP too", function () {
    const data = errors.encodeErrorResult("PrivacyGroupNoIntent");
    for (const thrown of [
      { code: 3, message: "execution reverted", data },
      { code: -32000, data: { message: "revert", data } },
      {
        code: -32015,
        message: "VM execution error.",
        data: `Reverted ${data}`,
      },
      Object.assign(new Error("missing revert data"), {
        data: null,
        info: { error: { code: 3, data } },
      }),
      new Error("outer", { cause: { error: { data } } }),
    ]) {
      expect(ledgerErrorOf(thrown)).to.deep.equal({
        type: "PrivacyGroupNoIntent",
      });
    }
  });

  it("finds nothing where there is nothing, and survives hostile objects", function () {
    const cycle: Record<string, unknown> = {};
    cycle["cause"] = cycle;
    cycle["error"] = cycle;
    const throwing = Object.defineProperty({}, "data", {
      get: () => {
        throw new Error("no");
      },
    });
    for (const thrown of [
      new Error("timeout"),
      "0x12",
      undefined,
      null,
      7,
      cycle,
      throwing,
      { data: "0xzz" },
      { data: 5 },
    ]) {
      expect(revertDataOf(thrown)).to.equal(undefined);
    }
    fc.assert(
      fc.property(anyJunk, (junk) => {
        const found = revertDataOf(junk);
        if (found !== undefined) expect(found).to.match(/^0x(?:[0-9a-f]{2})*$/);
      }),
    );
  });

  it("explains a failure inside an atom down to its cause", async function () {
    const chain = await openChain();
    const salt = parseBytes32(`0x${"00".repeat(32)}`);
    const implementation = parseAddress(
      `0x${(await chain.call({ to: chain.factory, data: parseHex("0x5c60da1b") })).slice(26)}`,
    );
    const data = encodeExecuteApproved(
      buildTransition({ epoch: 0n, intents: [intent] }),
    );
    const sent = await chain.send({
      to: chain.atomFactory,
      data: encodeExecuteAtom(
        [{ target: implementation, data, gasMin: parseUint64(50_000) }],
        salt,
      ),
    });
    expect(sent).to.have.nested.property(
      "error.cause.type",
      "PrivacyGroupNotAnInstance",
    );
    const empty = await chain.send({
      to: chain.atomFactory,
      data: parseHex(
        atomFactoryInterface.encodeFunctionData("execute", [[], salt]),
      ),
    });
    expect(empty).to.have.nested.property("error.type", "AtomWithoutCalls");
  });
});
