import { expect } from "chai";

import { call, failureOf, post } from "../../helpers/rpc/client.ts";
import { type FakeFixture, startFake } from "../../helpers/rpc/fixture.ts";

const key = "a".repeat(200);

/** A comparison that SQLite needs long for. */
const slow = { field: "idempotencyKey", value: "%a%a%a%a%a%a%b%" };

function fill({ book, database, group }: FakeFixture, rows: number): void {
  database.write(() => {
    for (let index = 0; index < rows; index++)
      book.transactions.insert({
        id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
        idempotencyKey: `${key}${index}`,
        group,
        intentId: `0x${String(index).padStart(64, "0")}`,
        created: book.now(),
        submitMode: "auto",
        type: "private",
        domain: "toy",
        from: "alice",
        to: group,
        function: "mint(string,uint256)",
        abiReference: `0x${"00".repeat(32)}`,
        data: {},
        dependsOn: [],
      });
  });
}

/** Whether others are answered while a request is under way, and how long the loop was held at most, of how long in all. */
async function during(
  url: string,
  work: () => Promise<unknown>,
): Promise<{
  readonly others: number;
  readonly longestMs: number;
  readonly allMs: number;
}> {
  let isOver = false;
  let others = 0;
  let longestMs = 0;
  const start = performance.now();
  let last = start;
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const ask = async (): Promise<void> => {
    await call(url, "sequencer_status");
    if (isOver) return;
    others++;
    await ask();
  };
  const end = work().then(() => {
    isOver = true;
  });
  await Promise.all([end, ask()]);
  clearInterval(ticks);
  const now = performance.now();
  return {
    others,
    longestMs: Math.max(longestMs, now - last),
    allMs: now - start,
  };
}

describe("the event loop under requests", function () {
  this.timeout(60_000);
  let fixture: FakeFixture;
  before(async () => {
    fixture = await startFake();
    fill(fixture, 60_000);
  });
  after(async () => {
    await fixture.stop();
  });

  it("has time for others during a query with a hundred comparisons", async () => {
    const or = Array.from({ length: 49 }, () => ({ like: [slow] }));
    const { others, longestMs, allMs } = await during(
      fixture.httpUrl,
      async () =>
        await post(fixture.httpUrl, {
          jsonrpc: "2.0",
          id: 1,
          method: "ptx_queryTransactions",
          params: [{ limit: 10, or }],
        }),
    );
    expect(others).to.be.greaterThan(3);
    expect(longestMs).to.be.lessThan(allMs / 4);
  });

  it("has time for others during a batch of queries", async () => {
    const or = Array.from({ length: 9 }, () => ({ like: [slow] }));
    const requests = Array.from({ length: 20 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "ptx_queryTransactions",
      params: [{ limit: 10, or }],
    }));
    const { others, longestMs, allMs } = await during(
      fixture.httpUrl,
      async () => {
        const answers = await post(fixture.httpUrl, requests);
        expect(answers).to.have.length(requests.length);
      },
    );
    expect(others).to.be.greaterThan(3);
    expect(longestMs).to.be.lessThan(allMs / 4);
  });

  it("has time for others while a large ABI is read", async () => {
    const abi = Array.from({ length: 2_000 }, (_, index) => ({
      type: "function",
      name: `f${index}`,
      inputs: Array.from({ length: 12 }, (__, place) => ({
        name: `p${place}`,
        type: "uint256",
      })),
    }));
    expect(JSON.stringify(abi).length).to.be.greaterThan(600_000);
    const { others, longestMs, allMs } = await during(
      fixture.httpUrl,
      async () => await call(fixture.httpUrl, "ptx_storeABI", abi),
    );
    expect(others).to.be.greaterThan(2);
    expect(longestMs).to.be.lessThan(allMs / 2);
  });

  it("finds the same in pieces as in one go, in every order", async () => {
    const { httpUrl } = fixture;
    type Found = readonly { readonly idempotencyKey: string }[];
    const find = async (query: object): Promise<readonly number[]> =>
      (await call<Found>(httpUrl, "ptx_queryTransactions", query)).map((one) =>
        Number(one.idempotencyKey.slice(key.length)),
      );
    expect(await find({ limit: 3 })).to.deep.equal([59_999, 59_998, 59_997]);
    expect(await find({ limit: 3, sort: ["created"] })).to.deep.equal([
      0, 1, 2,
    ]);
    expect(
      await find({ limit: 2, sort: ["from", "-idempotencyKey"] }),
    ).to.deep.equal([9_999, 9_998]);
    const value = `${key}_`;
    expect(
      await find({ limit: 99, like: [{ field: "idempotencyKey", value }] }),
    ).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it("refuses more objects than it can look at in one go", async () => {
    const answer = await post(fixture.httpUrl, `[${"{},".repeat(300_000)}{}]`);
    expect(answer).to.have.nested.property("error.code", -32_700);
  });

  it("refuses what takes longer than a query needs", async () => {
    const { httpUrl } = fixture;
    const digits = "9".repeat(900_000);
    for (const query of [
      { limit: 1, eq: [{ field: "created", value: digits }] },
      { limit: 1, eq: [{ field: "id", value: digits }] },
      { limit: 1, or: [{ or: Array.from({ length: 100 }, () => ({})) }] },
    ]) {
      const failure = await failureOf(
        call(httpUrl, "ptx_queryTransactions", query),
      );
      expect(failure.message).to.match(/^PD010700: /);
    }
  });
});
