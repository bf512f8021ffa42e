import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";

import hardhatSequencer from "../../src/index.ts";
import { chainClientsOf } from "../../src/plugin/chain-clients.ts";
import { JsonServer } from "./helpers/http.ts";
import { expectError } from "./helpers/errors.ts";

const SECRET = "hunter2";

describe("plugin: clients of a chain", () => {
  /** What the configuration of a network makes of clients. */
  async function open(
    url: string,
    sequencer: { readonly webSocketUrl?: string } = {},
  ) {
    const hre = await createHardhatRuntimeEnvironment({
      plugins: [hardhatSequencer],
      networks: {
        chain: {
          type: "http",
          url,
          httpHeaders: { "x-api-key": SECRET },
          timeout: 100,
        },
      },
      sequencer: { networks: { chain: sequencer } },
    });
    const connection = await hre.network.create("chain");
    const configured = hre.config.sequencer.networks["chain"];
    return await chainClientsOf(connection, configured);
  }

  it("use the timeout of the network, and count what they ask together", async () => {
    const server = new JsonServer(async ({ body }) =>
      body.includes("eth_chainId")
        ? { id: 1, result: "0x1" }
        : await new Promise(() => undefined),
    );
    const clients = await open(await server.start());
    const [one, other] = [clients.open(), clients.open()];
    expect(await one.request("eth_chainId", [])).to.equal("0x1");
    expect(await other.request("eth_chainId", [])).to.equal("0x1");
    const error: unknown = await one
      .request("eth_blockNumber", [])
      .catch((reason: unknown) => reason);
    expect(String(error))
      .to.match(/in time/)
      .and.not.include(SECRET);
    expect([...clients.requests()]).to.deep.equal([
      ["eth_chainId", 2],
      ["eth_blockNumber", 1],
    ]);
    await one.close();
    await other.close();
    await server.stop();
  });

  it("refuse an address of a WebSocket that is none, and do not show it", async () => {
    await expectError("WEB_SOCKET_URL_INVALID", async () => {
      await open("http://127.0.0.1:1", {
        webSocketUrl: `https://host/${SECRET}`,
      });
    });
  });
});
