import { expect } from "chai";

import { Mailbox } from "../../src/node/mailbox.ts";
import { PeerLink } from "../../src/node/peer-link.ts";
import { PeerQuotas } from "../../src/node/peer-quotas.ts";
import type { Receive } from "../../src/network/ports.ts";
import { bob } from "../helpers/monitor/fixture.ts";

function never(): never {
  throw new Error("Nobody should ask for this.");
}

describe("Messages that a node dropped", () => {
  it("are counted together, whether the envelope or the body was wrong", async () => {
    const receivers: Receive[] = [];
    const link = new PeerLink({
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
    const mailbox = new Mailbox({
      link,
      schedule: { ticks: 0 },
      quotas: new PeerQuotas(),
      loop: { post: never },
      post: never,
      fail: never,
      roster: { find: never },
      directory: { names: never, endorserOf: never, isSignedBy: never },
      catchUp: { answer: never, learn: never },
      membership: { consider: never, joined: never },
      rejoining: { receive: never, peerStarted: never },
      userKeys: { answer: never, learn: never },
    });
    mailbox.start();
    for (const receive of receivers) receive(bob, "no body at all");
    expect(mailbox.dropped()).to.deep.equal({ malformed: 3, forged: 1 });
    await link.stop();
  });
});
