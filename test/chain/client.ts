import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { expect } from "chai";
import hre from "hardhat";

import { openChainClient } from "../../src/chain/client/open.ts";
import { withoutSecrets } from "../../src/chain/client/secrets.ts";
import { ChainError, type ChainClient } from "../../src/chain/ports.ts";
import { selfSigned } from "../../src/keys/certificate.ts";
import {
  freePort,
  type Node,
  startHardhatNode,
} from "../plugin/helpers/processes.ts";

const SECRET = "hunter2";

/** What a request fails with. */
async function errorOf(request: Promise<unknown>): Promise<ChainError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
  throw new Error("The request did not fail.");
}

/** Calls the factory's creation code with a constructor that reverts: `revert("no")`. */
const REVERTING = {
  data: "0x7f08c379a000000000000000000000000000000000000000000000000000000000600052602060045260026024527f6e6f00000000000000000000000000000000000000000000000000000000000060445260646000fd",
};

describe("runtime: chain client", function () {
  this.timeout(120_000);

  describe("against a chain", () => {
    let node: Node;
    before(async () => {
      node = await startHardhatNode();
    });
    after(async () => {
      await node.stop();
    });

    const kinds: Record<string, () => Promise<ChainClient>> = {
      "an in-process provider": async () =>
        openChainClient((await hre.network.create()).provider),
      HTTP: async () => await Promise.resolve(openChainClient(node.url)),
      WebSocket: async () =>
        await Promise.resolve(
          openChainClient(node.url.replace("http:", "ws:")),
        ),
    };
    for (const [kind, open] of Object.entries(kinds)) {
      it(`answers over ${kind}, many requests at once`, async () => {
        const client = await open();
        const answers = await Promise.all(
          Array.from(
            { length: 50 },
            async () => await client.request("eth_chainId", []),
          ),
        );
        expect(new Set(answers)).to.deep.equal(new Set(["0x7a69"]));
        await client.close();
      });

      it(`says why a call reverted over ${kind}`, async () => {
        const client = await open();
        const error = await errorOf(
          client.request("eth_call", [REVERTING, "latest"]),
        );
        expect(error.kind).to.equal("refused");
        expect(error.data).to.match(/^0x08c379a0/);
        await client.close();
      });

      it(`says that a method is unknown over ${kind}`, async () => {
        const client = await open();
        const error = await errorOf(client.request("eth_nonsense", []));
        expect(error.kind).to.equal("refused");
        expect(error.code).to.equal(-32004);
        await client.close();
      });

      if (kind === "HTTP") continue;
      it(`tells of new blocks over ${kind}`, async () => {
        const client = await open();
        await client.request("eth_chainId", []);
        const heard = new Promise<true>((resolve) => {
          client.onHead(() => {
            resolve(true);
          });
        });
        // The chain subscribes while it answers other requests, and tells only of blocks after that.
        const mined = async (): Promise<false> => {
          await client.request("hardhat_mine", ["0x1"]);
          return false;
        };
        while (!(await Promise.race([heard, mined()])));
        await client.close();
      });
    }

    it("connects again after the chain was away, and rejects what was under way", async () => {
      const first = await startHardhatNode();
      const client = openChainClient(first.url.replace("http:", "ws:"));
      await client.request("evm_setAutomine", [false]);
      await first.stop();
      const error = await errorOf(
        (async () => {
          for (;;) await client.request("eth_chainId", []);
        })(),
      );
      expect(error.kind).to.equal("unreachable");
      const heard = new Promise<void>((resolve) => {
        client.onHead(resolve);
      });
      const second = await startHardhatNode(Number(new URL(first.url).port));
      await heard;
      expect(await client.request("eth_chainId", [])).to.equal("0x7a69");
      await client.close();
      await second.stop();
    });
  });

  describe("against a server that misbehaves", () => {
    let server: Server;
    let url: string;
    let answer: (body: string) => {
      readonly status?: number;
      readonly body: string;
    };
    let authorization: string | undefined;
    before(async () => {
      server = createServer((request, response) => {
        authorization = request.headers.authorization;
        request.resume().on("end", () => {
          const { status = 200, body } = answer("");
          response.statusCode = status;
          if (body === "silence") return;
          if (body === "nothing") {
            response.destroy();
            return;
          }
          if (body === "half") {
            response.setHeader("content-length", 100);
            response.write("{", () => response.destroy());
            return;
          }
          if (body === "drops") {
            const drip = setInterval(() => response.write(" "), 20);
            response.once("close", () => {
              clearInterval(drip);
            });
            return;
          }
          if (status === 302) response.setHeader("location", "/elsewhere");
          response.end(body);
        });
      });
      await new Promise<void>((resolve) =>
        server.listen(0, "127.0.0.1", resolve),
      );
      const { port } = server.address() as AddressInfo;
      url = `http://user:${SECRET}@127.0.0.1:${port}/v3/${SECRET}?key=${SECRET}`;
    });
    after(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    for (const [name, reply, kind] of [
      ["429", { status: 429, body: "slow down" }, "unreachable"],
      ["502", { status: 502, body: "<html>" }, "unreachable"],
      ["garbage", { body: "{{{" }, "unreachable"],
      ["an empty answer", { body: "" }, "unreachable"],
      ["no result", { body: '{"jsonrpc":"2.0","id":1}' }, "unreachable"],
      ["a number", { body: "7" }, "unreachable"],
      ["nothing", { body: "nothing" }, "unreachable"],
      ["silence", { body: "silence" }, "unreachable"],
      ["drops", { body: "drops" }, "unreachable"],
      ["half an answer", { body: "half" }, "unreachable"],
      ["another address", { status: 302, body: "" }, "unreachable"],
      [
        "an error with status 500",
        { status: 500, body: '{"error":{"code":-32000,"message":"no"}}' },
        "refused",
      ],
      [
        "an error that quotes the URL",
        {
          body: `{"error":{"code":-32000,"message":"see https://u:${SECRET}@h/${SECRET}"}}`,
        },
        "refused",
      ],
    ] as const)
      it(`calls ${name} ${kind}, and keeps secrets`, async () => {
        answer = () => reply;
        // Who answers may take his time.
        const client = openChainClient(
          url,
          ["silence", "drops", "429"].includes(name) ? { timeoutMs: 200 } : {},
        );
        const error = await errorOf(client.request("eth_chainId", []));
        expect(error.kind).to.equal(kind);
        expect(inspectAll(error)).not.to.include(SECRET);
        await client.close();
      });

    it("answers nobody any more when it is closed", async () => {
      answer = () => ({ body: "silence" });
      const client = openChainClient(url);
      const waiting = errorOf(client.request("eth_chainId", []));
      await new Promise((resolve) => server.once("request", resolve));
      await client.close();
      expect((await waiting).kind).to.equal("unreachable");
      const late = await errorOf(client.request("eth_chainId", []));
      expect(late.kind).to.equal("unreachable");
    });

    it("keeps its connection", async () => {
      answer = () => ({ body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' });
      const client = openChainClient(url);
      let connections = 0;
      const count = (): void => void connections++;
      server.on("connection", count);
      for (let i = 0; i < 5; i++) await client.request("eth_chainId", []);
      server.off("connection", count);
      expect(connections).to.equal(1);
      await client.close();
    });

    it("asks again if the connection that it kept was given up meanwhile", async () => {
      const good = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
      const replies = [good, "nothing", good, "nothing", "nothing", good];
      answer = () => ({ body: replies.shift() ?? "silence" });
      const client = openChainClient(url);
      for (let i = 0; i < 2; i++)
        expect(await client.request("eth_chainId", [])).to.equal("0x1");
      // The connection is as new as can be the second time.
      const error = await errorOf(client.request("eth_chainId", []));
      expect(error.kind).to.equal("unreachable");
      expect(await client.request("eth_chainId", [])).to.equal("0x1");
      expect(replies).to.deep.equal([]);
      await client.close();
    });

    it("does not keep a connection that the server closes after an answer", async () => {
      const good = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
      answer = () => ({ body: good });
      const close = (_: unknown, response: ServerResponse): void => {
        response.setHeader("connection", "close");
      };
      server.prependListener("request", close);
      const client = openChainClient(url);
      for (let i = 0; i < 3; i++)
        expect(await client.request("eth_chainId", [])).to.equal("0x1");
      server.off("request", close);
      await client.close();
    });

    it("speaks over TLS only to a server with a certificate that the machine trusts", async () => {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const certificate = selfSigned({
        name: "localhost",
        publicKey,
        sign: (bytes) => sign(null, bytes, privateKey),
      });
      const cert = `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----`;
      const key = privateKey.export({ type: "pkcs8", format: "pem" });
      const secure = createSecureServer({ key, cert }, (_, response) => {
        response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
      });
      await new Promise<void>((resolve) => secure.listen(0, resolve));
      const { port } = secure.address() as AddressInfo;
      const ask = async (): Promise<unknown> => {
        const client = openChainClient(`https://localhost:${port}/`);
        try {
          return await client.request("eth_chainId", []);
        } finally {
          await client.close();
        }
      };
      const trusted = getCACertificates("default");
      try {
        expect((await errorOf(ask())).kind).to.equal("unreachable");
        setDefaultCACertificates([...trusted, cert]);
        expect(await ask()).to.equal("0x1");
      } finally {
        setDefaultCACertificates(trusted);
        secure.close();
      }
    });

    it("sends user and password as a header", async () => {
      answer = () => ({ body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' });
      const client = openChainClient(url);
      expect(await client.request("eth_chainId", [])).to.equal("0x1");
      expect(authorization).to.equal(
        `Basic ${Buffer.from(`user:${SECRET}`).toString("base64")}`,
      );
      await client.close();
    });

    it("keeps secrets when nobody is there", async () => {
      const port = await freePort();
      for (const protocol of ["http", "ws"]) {
        const client = openChainClient(
          `${protocol}://user:${SECRET}@127.0.0.1:${port}/${SECRET}`,
        );
        const error = await errorOf(client.request("eth_chainId", []));
        expect(error.kind).to.equal("unreachable");
        expect(inspectAll(error)).not.to.include(SECRET);
        await client.close();
      }
      for (const wrong of [`nonsense ${SECRET}`, `ftp://${SECRET}@host`])
        expect(() => openChainClient(wrong)).to.throw(ChainError, /^The add/);
    });

    it("leaves of a URL where it leads", () => {
      expect(
        withoutSecrets(`No answer from wss://a:b@host:1/${SECRET}?x, sorry`),
      ).to.equal("No answer from wss://host:1 sorry");
    });
  });
});

function inspectAll(error: ChainError): string {
  return [error.message, error.stack, String(error.cause), error.data].join();
}
