import { expect } from "chai";

import { limits } from "../../../src/protocol/limits.ts";
import { DomainRefusal } from "../../../src/domains/domain.ts";
import { readOptions } from "../../../src/domains/private-contracts/options.ts";
import { privateContracts } from "../../../src/domains/private-contracts/private-contracts.ts";
import { nodeName } from "../../helpers/domains/played-group.ts";
import {
  addressOf,
  compiled,
  deploy,
  openContracts,
  sendRaw,
} from "../../helpers/domains/private-contracts.ts";

const refusalOf = (
  configuration: Readonly<Record<string, string>>,
): string | undefined => {
  try {
    privateContracts.checkGroup({
      members: [nodeName("alice")],
      configuration,
    });
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(DomainRefusal);
    return (error as DomainRefusal).message;
  }
};

describe("A group of private contracts", function () {
  this.timeout(60_000);

  it("needs no settings", () => {
    expect(refusalOf({})).to.equal(undefined);
  });

  it("takes the settings that there are", () => {
    expect(
      refusalOf({
        evmVersion: "cancun",
        externalCallsEnabled: "true",
        gasLimit: "1000000",
      }),
    ).to.equal(undefined);
  });

  it("refuses others, with the value and what there is", () => {
    expect(refusalOf({ evmversion: "cancun" })).to.equal(
      'Private contracts have no setting "evmversion". They have: evmVersion, externalCallsEnabled, gasLimit.',
    );
    expect(refusalOf({ evmVersion: "byzantium" })).to.equal(
      'evmVersion is one of london, paris, shanghai, cancun, prague, osaka, not "byzantium".',
    );
    expect(refusalOf({ externalCallsEnabled: "yes" })).to.equal(
      'externalCallsEnabled is "true" or "false", not "yes".',
    );
    for (const gasLimit of ["0", "-1", "1e6", "", "100000001", "9".repeat(50)])
      expect(refusalOf({ gasLimit })).to.equal(
        `gasLimit is a whole number from 1 to 100000000, not "${gasLimit}".`,
      );
  });

  it("allows public calls only if it is told to", () => {
    const plan = { members: [nodeName("alice")], configuration: {} };
    expect(privateContracts.allowsCalls?.(plan)).to.equal(false);
    const configuration = { externalCallsEnabled: "true" };
    expect(privateContracts.allowsCalls?.({ ...plan, configuration })).to.equal(
      true,
    );
  });

  it("runs contracts by all rules that it offers", async () => {
    for (const evmVersion of ["london", "paris", "osaka"]) {
      const group = await openContracts({ configuration: { evmVersion } });
      // Returns one byte of code, the number of the rules' only common instruction: STOP.
      const ended = await sendRaw(group, "alice", "deploy(bytes)", {
        bytecode: "0x60016000f3",
      });
      expect(ended.type, evmVersion).to.equal("confirmed");
    }
  });

  it("makes a public call of an event that asks for one, in order", async () => {
    const group = await openContracts({
      configuration: { externalCallsEnabled: "true" },
    });
    const target = `0x${"77".repeat(20)}`;
    for (const name of ["Announcer", "PlainAnnouncer"]) {
      const announcer = await deploy(group, "alice", await compiled(name));
      const ended = await announcer.send("bob", "announce", [
        target,
        "0x12345678",
      ]);
      if (ended.type !== "confirmed") throw new Error(ended.reason);
      expect(ended.step.calls, name).to.deep.equal([
        { target, data: "0x12345678", gasMin: 1_000_000 },
      ]);
    }
  });

  it("gives calls the gas that events name, and others a share of the rest", async () => {
    const group = await openContracts({
      configuration: { externalCallsEnabled: "true" },
    });
    const data = "0x12345678";
    const target = `0x${"77".repeat(20)}`;
    const plain = await deploy(group, "alice", await compiled("Announcer"));
    const named = await deploy(group, "alice", await compiled("GasAnnouncer"));
    const gasOf = (ended: Awaited<ReturnType<typeof named.send>>): number[] => {
      if (ended.type !== "confirmed") throw new Error(ended.reason);
      return ended.step.calls.map(({ gasMin }) => gasMin);
    };
    const gases = [0n, 21_000n, 5_000_000n];
    expect(
      gasOf(await named.send("bob", "announce", [target, data, gases])),
    ).to.deep.equal([0, 21_000, 5_000_000]);
    const next = async (count: number, gas: number): Promise<number[]> =>
      gasOf(
        await named.send("bob", "announceNext", [
          plain.address,
          target,
          data,
          count,
          gas,
        ]),
      );
    expect(await next(1, 500)).to.deep.equal([1_000_000, 500]);
    const left = limits.callsGas - 4_000_000;
    expect(await next(3, 4_000_000)).to.deep.equal([
      ...[1, 2, 3].map(() => Math.floor(left / 3)),
      4_000_000,
    ]);
    expect(await next(1, limits.callsGas)).to.deep.equal([0, limits.callsGas]);
    // The assembler of a node refuses this.
    expect(await next(1, limits.callsGas + 1)).to.deep.equal([
      0,
      limits.callsGas + 1,
    ]);
  });

  it("has no more gas than the rules allow", () => {
    const plan = { configuration: { evmVersion: "osaka" } };
    expect(readOptions(plan).gasLimit).to.equal(16_777_216n);
    expect(refusalOf({ evmVersion: "osaka", gasLimit: "16777217" })).to.equal(
      'gasLimit is a whole number from 1 to 16777216 by the rules of osaka, not "16777217".',
    );
    expect(readOptions({ configuration: {} }).gasLimit).to.equal(30_000_000n);
  });

  it("makes none if it is not told to", async () => {
    const group = await openContracts();
    const announcer = await deploy(
      group,
      "alice",
      await compiled("PlainAnnouncer"),
    );
    const ended = await announcer.send("bob", "stammer");
    if (ended.type !== "confirmed") throw new Error(ended.reason);
    expect(ended.step.calls).to.deep.equal([]);
  });

  it("reverts what asks for a call in another shape, or for too much of it", async () => {
    const group = await openContracts({
      configuration: { externalCallsEnabled: "true" },
    });
    const announcer = await deploy(
      group,
      "alice",
      await compiled("PlainAnnouncer"),
    );
    expect(await announcer.send("bob", "stammer")).to.deep.equal({
      type: "reverted",
      reason: "An ExternalCall event must have an address and bytes.",
    });
    const bob = await addressOf(group, "bob@bob");
    const long = `0x${"00".repeat(20_000)}`;
    const ended = await announcer.send("bob", "announce", [bob, long]);
    expect(ended.type).to.equal("reverted");
  });
});
