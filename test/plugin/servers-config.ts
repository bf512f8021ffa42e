import { expect } from "chai";
import { configVariable } from "hardhat/config";

import configHandlers from "../../src/plugin/hook-handlers/config.ts";
import { anEnvironment } from "./helpers/environment.ts";

const token = "0123456789abcdef";

async function problemsOf(servers: unknown): Promise<readonly string[]> {
  const { validateUserConfig } = await configHandlers();
  // The type of the configuration would refuse most of what is tested here.
  const problems = await validateUserConfig?.({
    sequencer: { servers },
  } as never);
  return (problems ?? []).map(
    ({ path, message }) => `${path.slice(2).join(".")}: ${message}`,
  );
}

describe("plugin: configuration of servers", () => {
  it("takes hosts, tokens, names and origins", async () => {
    const variable = configVariable("SERVERS_CONFIG_TOKEN");
    for (const servers of [
      undefined,
      {},
      { rpcHost: "localhost", statusHost: "::1" },
      { rpcHost: "127.0.0.2" },
      { rpcHost: "0.0.0.0", rpcToken: token },
      { statusHost: "::", statusToken: variable },
      { operatorHost: "10.0.0.7", operatorToken: variable },
      {
        rpcHost: "alice.example",
        rpcToken: variable,
        rpcAllowedHosts: ["alice.example", "10.0.0.7", "[::1]"],
        rpcAllowedOrigins: ["https://wallet.example", "http://localhost:3000"],
      },
      { rpcAllowedHosts: [], rpcAllowedOrigins: [] },
    ])
      expect(await problemsOf(servers), JSON.stringify(servers)).to.be.empty;
  });

  it("wants a token for what other machines reach", async () => {
    expect(
      await problemsOf({ rpcHost: "0.0.0.0", statusHost: "10.0.0.7" }),
    ).to.deep.equal([
      'rpcToken: Expected a token, because other machines reach rpcHost "0.0.0.0". Use configVariable("…")',
      'statusToken: Expected a token, because other machines reach statusHost "10.0.0.7". Use configVariable("…")',
    ]);
    // The token of the other server is not enough.
    expect(
      await problemsOf({ rpcHost: "0.0.0.0", statusToken: token }),
    ).to.have.length(1);
    expect(
      await problemsOf({ operatorHost: "0.0.0.0", rpcToken: token }),
    ).to.have.length(1);
  });

  it("refuses hostile values, each with its path, and shows no token", async () => {
    const hostile: Readonly<Record<string, readonly unknown[]>> = {
      rpcHost: [null, 7, "", " ", "a:80", "[::1]", "http://a", "a/b", "a\n"],
      statusHost: [null, {}, "", "a b", "x".repeat(254)],
      rpcToken: [
        7,
        "",
        "short",
        "secret\nsecret secret",
        ` ${token}`,
        "é".repeat(20),
      ],
      statusToken: [{}, [token], "secret"],
      operatorHost: [null, "", "a:80", "a\n"],
      operatorToken: [7, "", "short", ` ${token}`, "é".repeat(20)],
      rpcAllowedHosts: [7, "a", [""], ["a:80"], ["*"], Array(65).fill("a")],
      rpcAllowedOrigins: [
        "https://a",
        ["*"],
        ["null"],
        ["https://a/"],
        ["https://a/path"],
        ["ftp://a"],
        ["HTTPS://a"],
        Array(65).fill("https://a"),
      ],
      rpcPort: [8550],
    };
    for (const [key, values] of Object.entries(hostile))
      for (const value of values) {
        const problems = await problemsOf({ [key]: value });
        const shown = `${key}: ${JSON.stringify(value)}`;
        expect(problems, shown).to.have.length(1);
        expect(problems[0], shown).to.not.match(/secret|0123456789/);
        if (key !== "rpcPort") expect(problems[0], shown).to.include(key);
      }
    for (const value of [null, 7, "", [], [{}]])
      expect(await problemsOf(value)).to.have.length(1);
  });

  it("listens on this machine unless told, and reads tokens late", async () => {
    const plain = await anEnvironment({ sequencer: { servers: {} } });
    expect(plain.config.sequencer.servers).to.deep.equal({
      rpcHost: "127.0.0.1",
      rpcAllowedOrigins: [],
      statusHost: "127.0.0.1",
      operatorHost: "127.0.0.1",
    });
    const hre = await anEnvironment({
      sequencer: {
        servers: {
          rpcHost: "0.0.0.0",
          rpcToken: configVariable("SERVERS_CONFIG_TOKEN"),
        },
      },
    });
    const { rpcToken } = hre.config.sequencer.servers;
    process.env["SERVERS_CONFIG_TOKEN"] = token;
    try {
      expect(await rpcToken?.get()).to.equal(token);
    } finally {
      delete process.env["SERVERS_CONFIG_TOKEN"];
    }
  });
});
