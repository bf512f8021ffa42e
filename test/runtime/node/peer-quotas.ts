import { expect } from "chai";

import { PeerQuotas } from "../../../src/runtime/node/peer-quotas.ts";
import { nodeName } from "../../helpers/stores.ts";

const alice = nodeName("alice");
const mallory = nodeName("mallory");

/** Takes messages of a member until no more are taken. */
function flood(quotas: PeerQuotas, length: number): (() => void)[] {
  const taken: (() => void)[] = [];
  for (;;) {
    const onTaken = quotas.take(mallory, length);
    if (onTaken === undefined) return taken;
    taken.push(onTaken);
  }
}

describe("What waits of a member", () => {
  it("is bounded, and what others say is heard all the same", () => {
    const quotas = new PeerQuotas();
    expect(flood(quotas, 1)).to.have.length(4_096);
    expect(quotas.take(alice, 1)).to.be.a("function");
  });

  it("is bounded in characters too", () => {
    const quotas = new PeerQuotas();
    expect(flood(quotas, 4_194_304)).to.have.length(16);
    expect(quotas.take(alice, 4_194_304)).to.be.a("function");
  });

  it("makes room when it had its turn, once for each message", () => {
    const quotas = new PeerQuotas();
    const [first] = flood(quotas, 1);
    first?.();
    first?.();
    expect(flood(quotas, 1)).to.have.length(1);
  });

  it("leaves room for a single message, however long it is", () => {
    expect(new PeerQuotas().take(mallory, 1e9)).to.be.a("function");
  });
});
