import { expect } from "chai";

import { QueryError } from "../../src/store/query.ts";
import { UserError } from "../../src/api/errors.ts";
import { Queries } from "../../src/api/queries.ts";

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("the admission of queries", () => {
  it("lets a few run, others wait, and refuses the rest", async () => {
    const queries = new Queries({ atOnce: 1, waiting: 1, workMs: 60_000 });
    const order: string[] = [];
    let release = (): void => undefined;
    const first = queries.run(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      order.push("first");
    });
    const second = queries.run(async () => {
      await Promise.resolve();
      order.push("second");
    });
    const third = await errorOf(
      queries.run(async () => await Promise.resolve(3)),
    );
    expect(third).to.be.instanceOf(UserError).and.include({ key: "PD099015" });
    release();
    await Promise.all([first, second]);
    expect(order).to.deep.equal(["first", "second"]);
    expect(await queries.run(async () => await Promise.resolve(1))).to.equal(1);
  });

  it("stops one that works for too long", async () => {
    const queries = new Queries({ atOnce: 1, waiting: 1, workMs: 0 });
    const error = await errorOf(
      queries.run(async (turn) => {
        await turn();
      }),
    );
    expect(error).to.be.instanceOf(QueryError);
  });
});
