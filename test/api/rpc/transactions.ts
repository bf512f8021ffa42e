import { expect } from "chai";

import { call, failureOf } from "../../helpers/rpc/client.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { toyAbi } from "../../helpers/rpc/toy-domain.ts";
import { transactionsSuite } from "../../helpers/rpc/transactions-suite.ts";

transactionsSuite("with a fake node", startFake);

describe("transactions that come together", () => {
  it("are all refused when the node has no room for the last of them", async () => {
    const { httpUrl, group, stop } = await startFake();
    const mints = (count: number): readonly object[] =>
      Array.from({ length: count }, () => ({
        type: "private",
        from: "alice",
        to: group,
        abi: toyAbi,
        function: "mint",
        data: ["alice", 1],
      }));
    const send = async (count: number): Promise<string[]> =>
      await call<string[]>(httpUrl, "ptx_sendTransactions", mints(count));
    const open = async (): Promise<number> =>
      (
        await call<unknown[]>(
          httpUrl,
          "ptx_queryPendingTransactions",
          { limit: 1_000 },
          null,
        )
      ).length;
    for (let sent = 0; sent < 950; sent += 50) await send(50);
    const before = await open();
    await send(50);
    expect((await failureOf(send(51))).message).to.match(/^PD099002: Too many/);
    expect(await open()).to.equal(before + 50);
    await stop();
  });
});
