import { expect } from "chai";

import {
  addressesOf,
  type PeersConfig,
} from "../../../src/plugin/peers-config.ts";
import { parseNodeName } from "../../../src/protocol/ids.ts";
import { createIdentity, encodePublicKey } from "../../../src/keys/identity.ts";
import { readPeers, requireListen } from "../../../tasks/node/peers.ts";
import { deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";
import { ServedNodes, SharedChain } from "../helpers/served-nodes.ts";

const several = ["10.0.0.7:8650", "[::1]:8651", "r3.example:8652"];

function peerAt(address: string | readonly string[]) {
  const config: PeersConfig = {
    alice: {
      address,
      key: encodePublicKey(createIdentity().publicKey),
      endorser: `0x${"1".repeat(40)}`,
    },
  };
  const name = parseNodeName("alice");
  const peer = name && readPeers(config).get(name);
  if (peer === undefined) throw new Error("Alice is missing.");
  return peer;
}

describe("tasks: the addresses of nodes", () => {
  it("are read one by one, in their order", () => {
    expect(peerAt(several).addresses).to.deep.equal([
      { host: "10.0.0.7", port: 8650 },
      { host: "::1", port: 8651 },
      { host: "r3.example", port: 8652 },
    ]);
    expect(peerAt("10.0.0.7:8650").addresses).to.deep.equal([
      { host: "10.0.0.7", port: 8650 },
    ]);
  });

  it("say where a node listens if there is one only, unless --listen does", () => {
    const listen = { host: "0.0.0.0", port: 1 };
    for (const address of ["10.0.0.7:8650", ["10.0.0.7:8650"]]) {
      const peer = peerAt(address);
      expect(
        requireListen(peer, { name: "alice", listen: undefined }),
      ).to.deep.equal({ host: "10.0.0.7", port: 8650 });
      expect(requireListen(peer, { name: "alice", listen })).to.equal(listen);
    }
    expect(requireListen(peerAt(several), { name: "alice", listen })).to.equal(
      listen,
    );
  });

  it("do not say which of them is a replica's own", async () => {
    const error = await expectError("LISTEN_MISSING", async () => {
      await Promise.resolve();
      requireListen(peerAt(several), { name: "alice", listen: undefined });
    });
    expect(error.message)
      .to.include("alice has 3 addresses")
      .and.to.include(several.join(", "))
      .and.to.include("--listen 10.0.0.7:8650");
  });
});

describe("tasks: nodes that have several addresses", function () {
  this.timeout(60_000);
  let chain: SharedChain;
  let nodes: ServedNodes;
  before(async () => {
    chain = await SharedChain.start();
    nodes = await ServedNodes.prepare(chain);
    await deploy(await nodes.environment(), {});
  });
  after(async () => {
    await nodes.stop();
    await chain.stop();
  });

  it("are reached at the one at which they listen", async () => {
    const [own] = addressesOf(nodes.peers.bob);
    if (own === undefined) throw new Error("Bob has no address.");
    const stopped = `127.0.0.1:${await freePort()}`;
    const addresses = { bob: [stopped, own] };
    await expectError("LISTEN_MISSING", async () => {
      await nodes.serve("bob", { addresses });
    });
    await nodes.serve("bob", { addresses, options: { listen: own } });
    const { statusUrl } = await nodes.serve("alice", { addresses });
    await until({ what: "alice reaches bob", deadlineMs: 30_000 }, async () => {
      const metrics = await (await fetch(`${statusUrl}/metrics`)).text();
      return /^sequencer_peer_connected\{peer="bob"\} 1$/m.test(metrics)
        ? true
        : undefined;
    });
  });
});
