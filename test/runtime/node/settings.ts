import { expect } from "chai";

import { defaultSettings } from "../../../src/runtime/node/settings.ts";
import { socketLimits } from "../../../src/runtime/transport/socket/limits.ts";

describe("Default settings", () => {
  const { heartbeatMs, heartbeatGrace } = defaultSettings;

  it("find out about a dead coordinator within three seconds", () => {
    expect(heartbeatMs * heartbeatGrace).to.be.at.most(3_000);
  });

  it("let nodes that were cut off dial again within a heartbeat", () => {
    expect(socketLimits.pauseMs.last).to.be.at.most(heartbeatMs);
  });
});
