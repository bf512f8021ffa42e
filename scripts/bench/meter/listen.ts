import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

import type { Reporter, Usage } from "./usage.ts";

interface Reporting {
  readonly payer: string;
  readonly ask: () => Promise<Usage>;
}

/** Hears how much CPU the processes of nodes need. */
export interface UsageListener {
  /** Resolves when so many have named themselves. */
  readonly named: (count: number) => Promise<void>;
  /** Of all that reported so far, by the address that pays. */
  readonly read: () => Promise<ReadonlyMap<string, Usage>>;
  readonly close: () => void;
}

/** Listens for reports on a socket in the file system. */
export async function listenForUsage(path: string): Promise<UsageListener> {
  const reporting: Reporting[] = [];
  const named = new EventEmitter();
  const server = createServer((socket) => {
    hear(socket, (one) => {
      reporting.push(one);
      named.emit("named");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return {
    named: async (count) => {
      while (reporting.length < count) await once(named, "named");
    },
    read: async () =>
      new Map(
        await Promise.all(
          reporting.map(
            async ({ payer, ask }) => [payer, await ask()] as const,
          ),
        ),
      ),
    close: () => {
      server.close();
    },
  };
}

/** The first line names who reports; every other one answers a question. */
function hear(socket: Socket, onNamed: (one: Reporting) => void): void {
  const waiting: {
    readonly resolve: (usage: Usage) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  const ask = async (): Promise<Usage> =>
    await new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write("\n");
    });
  createInterface({ input: socket }).on("line", (line) => {
    const fact = JSON.parse(line) as Reporter | Usage;
    if ("payer" in fact) {
      onNamed({ payer: fact.payer, ask });
    } else waiting.shift()?.resolve(fact);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    for (const { reject } of waiting)
      reject(new Error("A node's process is gone."));
  });
}
