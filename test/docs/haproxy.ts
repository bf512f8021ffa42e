import { expect } from "chai";

import { hasHaproxy, Haproxy } from "../helpers/haproxy.ts";

// That it sends users to the active replica is in test/tasks/node/replicas.ts.

describe("docs/haproxy/haproxy.cfg", () => {
  before(function () {
    if (!hasHaproxy()) this.skip();
  });

  it("is taken by HAProxy without a warning", async () => {
    const backend = { http: 1_001, webSocket: 1_002, status: 1_003 };
    const haproxy = new Haproxy(1_000, { r1: backend, r2: backend });
    const { isValid, said } = haproxy.check();
    await haproxy.stop();
    expect(isValid, said).to.equal(true);
    expect(said).to.not.match(/WARNING|ALERT/);
  });
});
