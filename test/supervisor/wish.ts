import { expect } from "chai";
import pg from "pg";

import { machineTimers } from "../../src/async/timers.ts";
import { Duty } from "../../src/supervisor/duty.ts";
import { readElection } from "../../src/supervisor/election-view.ts";
import { switchElection } from "../../src/supervisor/switch.ts";
import {
  answerWish,
  makeMaster,
  WishRefusal,
} from "../../src/supervisor/wish.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { newSchema } from "../helpers/replica.ts";
import { until } from "../torture/harness/processes/until.ts";

describe("A wish for a master", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let client: pg.Client;

  before(async () => {
    server = await PostgresServer.start();
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await server.stop();
  });

  /** What the operator is told if the replica fails when its predecessor has been revoked. */
  async function refusedAfterRevoking(isElectionOn: boolean): Promise<string> {
    const place = { schema: await newSchema(server), bucket: 0 };
    const { url } = server;
    const duty = new Duty(
      { ...place, url, name: "s1", dutyMs: 60_000 },
      { timers: machineTimers },
    );
    await duty.take(undefined);
    await switchElection(client, { ...place, isOn: isElectionOn, by: "test" });
    const asked = makeMaster(client, place, { name: "r2", isForced: false });
    const refusal = asked.then(
      () => "granted",
      (error: unknown) =>
        error instanceof WishRefusal ? error.message : String(error),
    );
    const wish = await until(
      { what: "the wish is there", deadlineMs: 10_000 },
      async () => (await readElection(client, place)).wish,
    );
    await client.query(`UPDATE ${place.schema}.bucket SET state = 'stopped'`);
    const { number } = wish;
    await answerWish(client, place, { number, refusal: "it is unhealthy" });
    const message = await refusal;
    await duty.close();
    return message;
  }

  it("that fails after the log was stopped says that nobody is active", async () => {
    expect(await refusedAfterRevoking(false)).to.match(
      /^it is unhealthy\. The log is stopped, so nobody is active/,
    );
    expect(await refusedAfterRevoking(true)).to.match(
      /^it is unhealthy\. The log is stopped: the supervisor elects/,
    );
  });
});
