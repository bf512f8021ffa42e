import { expect } from "chai";

import { Mailbox } from "../../../src/runtime/node/mailbox.ts";
import { Turns } from "../../../src/runtime/node/turns.ts";
import type { Receive } from "../../../src/runtime/ports.ts";
import { openStore } from "../../../src/runtime/store/store.ts";
import { bob } from "../../helpers/monitor/fixture.ts";

function never(): never {
  throw new Error("Nobody should ask for this.");
}

describe("Messages that a node dropped", () => {
  it("are counted together, whether the envelope or the body was wrong", async () => {
    const store = openStore({ file: ":memory:" });
    const receivers: Receive[] = [];
    const mailbox = new Mailbox({
      ticks: () => 0,
      store,
      turns: new Turns({ store, onFatal: never }),
      userKeys: { answer: never, learn: never },
      runner: never,
      directory: { names: never, endorserOf: never, isSignedBy: never },
      tell: never,
      fail: never,
      onAsk: never,
      onTell: never,
      onOffer: never,
      onJoined: never,
      onGroups: never,
      onPeerStarted: never,
      connect: (receive) => {
        receivers.push(receive);
        return {
          send: never,
          stop: async () => {
            await Promise.resolve();
          },
          dropped: () => ({ malformed: 2, forged: 1 }),
        };
      },
    });
    mailbox.open();
    for (const receive of receivers) receive(bob, "no body at all");
    expect(mailbox.dropped()).to.deep.equal({ malformed: 3, forged: 1 });
    await mailbox.close();
    store.close();
  });
});
