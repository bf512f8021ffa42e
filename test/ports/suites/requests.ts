import { expect } from "chai";

import { clientLimits } from "../../../src/chain/client/limits.ts";
import { type ChainClient, ChainError } from "../../../src/chain/ports.ts";
import type { FakeTimers } from "../../helpers/fake-timers.ts";

/** A client of somebody who answers `eth_chainId` with 0x7a69, and refuses `eth_nonsense`. */
export interface ClientUnderTest {
  readonly client: ChainClient;
  /** Its time. */
  readonly timers: FakeTimers;
  /** From now on nothing is answered. */
  readonly fallSilent: () => void;
  /** From now on answers are longer than any that is allowed; undefined if they need not be read from bytes. */
  readonly becomeTalkative: (() => void) | undefined;
  readonly stop: () => Promise<void>;
}

/** What clients of chains do, whoever answers: deadlines, refusals, bounds, and the end. */
export function describeRequests(
  name: string,
  open: () => Promise<ClientUnderTest>,
): void {
  describe(`requests to a chain: ${name}`, function () {
    this.timeout(30_000);
    let test: ClientUnderTest;
    beforeEach(async () => {
      test = await open();
    });
    afterEach(async () => {
      await test.client.close();
      await test.stop();
    });

    /** Lets time go on, not so fast that sockets are late, until a request has its answer. */
    const inTime = async <Answer>(
      request: Promise<Answer>,
    ): Promise<Answer> => {
      const state = { isOver: false };
      const over = (): void => {
        state.isOver = true;
      };
      request.then(over, over);
      for (let looks = 0; !state.isOver; looks++) {
        if (looks > 50_000)
          throw new Error("There is no answer, whatever the time.");
        await new Promise((resolve) => setImmediate(resolve));
        test.timers.advance(looks > 200 ? 20 : 1);
      }
      return await request;
    };
    const ask = async (method: string): Promise<unknown> =>
      await test.client.request(method, []);
    const errorOf = async (method: string): Promise<ChainError> => {
      try {
        await inTime(ask(method));
      } catch (error) {
        if (error instanceof ChainError) return error;
        throw error;
      }
      throw new Error("The request did not fail.");
    };

    it("get the answers that belong to them, also many at once", async () => {
      const methods = Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0 ? "eth_nonsense" : "eth_chainId",
      );
      const answers = await inTime(
        Promise.all(
          methods.map(
            async (method) =>
              await ask(method).catch((error: unknown) =>
                error instanceof ChainError ? error.kind : error,
              ),
          ),
        ),
      );
      expect(answers).to.deep.equal(
        methods.map((method) =>
          method === "eth_chainId" ? "0x7a69" : "refused",
        ),
      );
    });

    it("are refused with the code and the words of the node", async () => {
      const error = await errorOf("eth_nonsense");
      expect(error).to.include({ kind: "refused", isLate: false });
      expect(error.code).to.be.a("number");
      expect(error.message).to.match(/eth_nonsense/);
    });

    it("end at their deadline if nothing is answered", async () => {
      expect(await inTime(ask("eth_chainId"))).to.equal("0x7a69");
      test.fallSilent();
      const begin = test.timers.now();
      const error = await errorOf("eth_chainId");
      expect(error).to.include({ kind: "unreachable", isLate: true });
      const tookMs = test.timers.now() - begin;
      expect(tookMs).to.be.within(
        clientLimits.requestMs,
        clientLimits.providerMs + 500,
      );
    });

    it("end when the client is closed, and none begins later", async () => {
      expect(await inTime(ask("eth_chainId"))).to.equal("0x7a69");
      test.fallSilent();
      const waiting = errorOf("eth_chainId");
      const begin = test.timers.now();
      await test.client.close();
      expect((await waiting).kind).to.equal("unreachable");
      expect((await errorOf("eth_chainId")).kind).to.equal("unreachable");
      // Neither has waited for its deadline.
      expect(test.timers.now() - begin).to.be.below(clientLimits.requestMs);
    });

    it("leave no timer behind when the client is closed", async () => {
      expect(await inTime(ask("eth_chainId"))).to.equal("0x7a69");
      await test.client.close();
      expect(test.timers.size).to.equal(0);
    });

    it("may be closed twice", async () => {
      await test.client.close();
      await test.client.close();
    });

    it("give up an answer that is too long", async function () {
      if (test.becomeTalkative === undefined) {
        // Nothing is read from bytes here.
        expect(await inTime(ask("eth_chainId"))).to.equal("0x7a69");
        return;
      }
      expect(await inTime(ask("eth_chainId"))).to.equal("0x7a69");
      test.becomeTalkative();
      expect((await errorOf("eth_chainId")).kind).to.equal("unreachable");
    });
  });
}
