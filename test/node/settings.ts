import { readFileSync } from "node:fs";

import { expect } from "chai";

import { defaultSettings } from "../../src/node/settings.ts";
import { runTask } from "../../tasks/run/definition.ts";
import { socketLimits } from "../../src/network/socket/limits.ts";

describe("Default settings", () => {
  const { heartbeatMs, heartbeatGrace } = defaultSettings;

  it("find out about a dead coordinator within three seconds", () => {
    expect(heartbeatMs * heartbeatGrace).to.be.at.most(3_000);
  });

  it("leave the role with the coordinator that has it, as the documents say", () => {
    expect(defaultSettings.policy).to.equal("sticky");
    const protocol = readFileSync(
      new URL("../../docs/protocol.md", import.meta.url),
      "utf8",
    );
    expect(protocol).to.match(/`sticky` \(the\s+default\)/);
    expect(JSON.stringify(runTask)).to.match(/default: sticky/);
  });

  it("let nodes that were cut off dial again within a heartbeat", () => {
    expect(socketLimits.pauseMs.last).to.be.at.most(heartbeatMs);
  });
});
