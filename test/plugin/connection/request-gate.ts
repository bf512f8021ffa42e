import { expect } from "chai";

import { RequestGate } from "../../../src/plugin/connection/request-gate.ts";

/** A request that ends when it is told to. */
function aRequest(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<void> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { run, end };
}

async function soon(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("connection.sequencer: request gate", function () {
  it("waits for requests that are under way, and holds others back", async function () {
    const gate = new RequestGate();
    const log: string[] = [];
    const first = aRequest(log, "first");
    const second = aRequest(log, "second");
    const passing = gate.pass(first.run);
    const closing = gate.whileClosed(async () => {
      log.push("closed");
      await soon();
      log.push("open");
    });
    const waiting = gate.pass(second.run);
    await soon();
    expect(log).to.deep.equal(["first begins"]);
    first.end();
    second.end();
    await Promise.all([passing, closing, waiting]);
    expect(log).to.deep.equal([
      "first begins",
      "first ends",
      "closed",
      "open",
      "second begins",
      "second ends",
    ]);
  });

  it("lets requests pass that others are waiting for, and its owner's", async function () {
    const gate = new RequestGate();
    const log: string[] = [];
    const outer = aRequest(log, "outer");
    const passing = gate.pass(async () => {
      await outer.run();
      // As Hardhat asks for a nonce before it sends a transaction.
      await gate.enter(async () => {
        expect(gate.isInside).to.equal(true);
        await Promise.resolve();
        log.push("inner");
      });
    });
    const closing = gate.whileClosed(async () => {
      await gate.enter(async () => {
        await soon();
        log.push("own");
      });
    });
    outer.end();
    await Promise.all([passing, closing]);
    expect(log).to.deep.equal(["outer begins", "outer ends", "inner", "own"]);
    expect(gate.isInside).to.equal(false);
  });

  it("closes for one at a time, and opens when that fails", async function () {
    const gate = new RequestGate();
    const log: string[] = [];
    const failing = gate
      .whileClosed(async () => {
        log.push("one");
        await soon();
        throw new Error("failed");
      })
      .catch((error: unknown) => log.push(String(error)));
    const next = gate.whileClosed(async () => {
      await Promise.resolve();
      log.push("two");
    });
    await Promise.all([failing, next]);
    await gate.pass(async () => {
      await Promise.resolve();
      log.push("open");
    });
    expect(log).to.deep.equal(["one", "Error: failed", "two", "open"]);
  });

  it("starts nodes outside of the request that restores them", async function () {
    const gate = new RequestGate();
    await gate.enter(async () => {
      await Promise.resolve();
      expect(gate.leave(() => gate.isInside)).to.equal(false);
    });
  });
});
