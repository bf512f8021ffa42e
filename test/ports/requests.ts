import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { type WebSocket, WebSocketServer } from "ws";

import { clientLimits } from "../../src/chain/client/limits.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { SimulatedLedger } from "../../src/simulation/chain-rpc/ledger.ts";
import { chainClientOf } from "../../src/simulation/chain-rpc/rpc/client.ts";
import { Random } from "../../src/simulation/random.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { describeRequests } from "./suites/requests.ts";

/** Somebody who answers, until nothing is answered or too much. */
class Answerer {
  isSilent = false;
  isTalkative = false;

  readonly fallSilent = (): void => {
    this.isSilent = true;
  };
  readonly becomeTalkative = (): void => {
    this.isTalkative = true;
  };

  /** Undefined if there is no answer. */
  answer(text: string): string | undefined {
    if (this.isSilent) return undefined;
    if (this.isTalkative) return "x".repeat(clientLimits.answerBytes + 1);
    const { id, method } = JSON.parse(text) as {
      readonly id: number;
      readonly method: string;
    };
    const message = `the method ${method} does not exist`;
    const result = method === "eth_subscribe" ? "0x1" : "0x7a69";
    return JSON.stringify({
      jsonrpc: "2.0",
      id,
      ...(method === "eth_nonsense"
        ? { error: { code: -32_601, message } }
        : { result }),
    });
  }
}

const portOf = (address: string | AddressInfo | null): number =>
  address === null || typeof address === "string" ? 0 : address.port;

describeRequests("HTTP", async () => {
  const answerer = new Answerer();
  const timers = new FakeTimers();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const text = answerer.answer(Buffer.concat(parts).toString());
      if (text !== undefined) response.end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    client: openChainClient(`http://127.0.0.1:${portOf(server.address())}`, {
      timers,
    }),
    timers,
    fallSilent: answerer.fallSilent,
    becomeTalkative: answerer.becomeTalkative,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
});

describeRequests("a WebSocket", async () => {
  const answerer = new Answerer();
  const timers = new FakeTimers();
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const text = answerer.answer(data.toString());
      if (text !== undefined) socket.send(text);
    });
  });
  await once(server, "listening");
  const client = openChainClient(`ws://127.0.0.1:${portOf(server.address())}`, {
    timers,
  });
  // Requests are refused before there is a connection. The first thing that the client says over it is that it wants heads.
  const [socket] = (await once(server, "connection")) as [WebSocket];
  await once(socket, "message");
  return {
    client,
    timers,
    fallSilent: answerer.fallSilent,
    becomeTalkative: answerer.becomeTalkative,
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
});

describeRequests("a provider", async () => {
  const timers = new FakeTimers();
  let isSilent = false;
  const client = openChainClient(
    {
      request: async ({ method }) => {
        if (isSilent) return await new Promise(() => undefined);
        if (method !== "eth_nonsense") return "0x7a69";
        const message = `the method ${method} does not exist`;
        throw Object.assign(new Error(message), { code: -32_601 });
      },
    },
    { timers },
  );
  return await Promise.resolve({
    client,
    timers,
    fallSilent: () => {
      isSilent = true;
    },
    becomeTalkative: undefined,
    stop: async () => {
      await Promise.resolve();
    },
  });
});

describeRequests("the simulated chain", async () => {
  const timers = new FakeTimers();
  const client = chainClientOf(
    { ledger: new SimulatedLedger(), timers, random: new Random(1) },
    {},
  );
  return await Promise.resolve({
    client,
    timers,
    fallSilent: () => {
      client.endpoint.isHanging = true;
    },
    becomeTalkative: undefined,
    stop: async () => {
      await Promise.resolve();
    },
  });
});
