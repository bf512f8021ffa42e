import { resolve } from "node:path";

import { expect } from "chai";

import {
  type NodeOptions,
  parseNodeOptions,
} from "../../../tasks/node/options.ts";

const needed = { name: "alice", dataDir: "nodes" };

function refusalOf(options: NodeOptions): string {
  try {
    parseNodeOptions({ ...needed, ...options });
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("It was taken.");
}

describe("plugin: options of sequencer:node", function () {
  it("has defaults for all but the name and the place", function () {
    expect(parseNodeOptions(needed)).to.deep.equal({
      name: "alice",
      directory: resolve("nodes/alice"),
      listen: undefined,
      rpcPort: 8550,
      statusPort: 8552,
      rpcHost: undefined,
      statusHost: undefined,
      level: "info",
      replica: undefined,
      operatorPort: undefined,
    });
  });

  it("takes what is given", function () {
    expect(
      parseNodeOptions({
        ...needed,
        listen: "[::]:9",
        rpcPort: "0",
        statusPort: "65535",
        rpcHost: "::",
        statusHost: "alice.example",
        logLevel: "debug",
      }),
    ).to.include({
      rpcPort: 0,
      statusPort: 65_535,
      rpcHost: "::",
      statusHost: "alice.example",
      level: "debug",
    });
  });

  it("says what is wrong, and what to do", function () {
    expect(refusalOf({ name: undefined })).to.match(
      /--name "" is not the name of a node/,
    );
    expect(refusalOf({ name: "../bob" })).to.match(/"..\/bob" is not the name/);
    expect(refusalOf({ dataDir: undefined })).to.match(/Give it --data-dir/);
    expect(refusalOf({ dataDir: " " })).to.match(/Give it --data-dir/);
    expect(refusalOf({ dataDir: "a\0b" })).to.match(/Give it --data-dir/);
    expect(refusalOf({ listen: "8650" })).to.match(/Write host:port/);
    expect(refusalOf({ rpcPort: "65535" })).to.match(/--rpc-port "65535"/);
    expect(refusalOf({ statusPort: "-1" })).to.match(/--status-port "-1"/);
    expect(refusalOf({ operatorPort: "-1" })).to.match(/--operator-port "-1"/);
    for (const host of ["", "a b", "host:80", "[::1]", "http://a", "a\n"])
      for (const name of ["rpcHost", "statusHost"] as const)
        expect(refusalOf({ [name]: host }), host).to.match(
          /^--(rpc|status)-host ".*" is not a host\. Give an address/s,
        );
    expect(refusalOf({ logLevel: "loud" })).to.match(/--log-level.*loud/);
  });
});
