import { expect } from "chai";

import { type Charge, PeerQuotas } from "../../src/node/peer-quotas.ts";
import { nodeName } from "../helpers/stores.ts";

const alice = nodeName("alice");
const mallory = nodeName("mallory");

/** Takes messages of a member until no more are taken. */
function flood(quotas: PeerQuotas, length: number): Charge[] {
  const taken: Charge[] = [];
  for (;;) {
    const charge = quotas.take(mallory, length);
    if (charge === undefined) return taken;
    taken.push(charge);
  }
}

describe("What waits of a member", () => {
  it("is bounded, and what others say is heard all the same", () => {
    const quotas = new PeerQuotas();
    expect(flood(quotas, 1)).to.have.length(4_096);
    expect(quotas.take(alice, 1)).to.include({ isReleased: false });
  });

  it("is bounded in characters too", () => {
    const quotas = new PeerQuotas();
    expect(flood(quotas, 4_194_304)).to.have.length(16);
    expect(quotas.take(alice, 4_194_304)).to.include({ isReleased: false });
  });

  it("makes room when it had its turn, once for each message", () => {
    const quotas = new PeerQuotas();
    const [first] = flood(quotas, 1);
    if (first === undefined) throw new Error("Nothing was taken.");
    quotas.release(first);
    quotas.release(first);
    expect(flood(quotas, 1)).to.have.length(1);
  });

  it("leaves room for a single message, however long it is", () => {
    expect(new PeerQuotas().take(mallory, 1e9)).to.include({
      isReleased: false,
    });
  });
});
