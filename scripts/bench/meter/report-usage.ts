// Loaded into every process below a tree's before its program, whichever revision that is of: a node's process tells, whenever
// it is asked over a socket, how much CPU it has needed. The program itself need not know.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { isMainThread } from "node:worker_threads";

import type { Reporter, Usage } from "./usage.ts";

const socketPath = process.env["BENCH_METER"];
const isNode = process.argv[1]?.endsWith("node-process.ts") === true;

/** The request that starts a node, as far as it names it. */
interface Start {
  readonly name: "start";
  readonly asks: {
    readonly name: string;
    readonly peers: readonly {
      readonly name: string;
      readonly endorser: string;
    }[];
  };
}

function isStart(value: unknown): value is Start {
  return typeof value === "object" && value !== null
    ? Reflect.get(value, "name") === "start"
    : false;
}

function report(to: string, { name, peers }: Start["asks"]): void {
  const payer = peers.find((peer) => peer.name === name)?.endorser ?? "";
  const socket = connect(to);
  // When nobody measures any more, the program is free to end as it likes.
  socket.on("error", () => undefined);
  socket.unref();
  const tell = (fact: Reporter | Usage): void => {
    socket.write(`${JSON.stringify(fact)}\n`);
  };
  tell({ name, payer });
  createInterface({ input: socket }).on("line", () => {
    const { user, system } = process.cpuUsage();
    const main = process.threadCpuUsage();
    tell({
      allMs: (user + system) / 1_000,
      mainMs: (main.user + main.system) / 1_000,
    });
  });
}

if (socketPath !== undefined && isMainThread && isNode) {
  // A listener for messages would take those that come before the program listens.
  const emit = process.emit.bind(process) as (...all: unknown[]) => boolean;
  const emitAndLook = (...all: unknown[]): boolean => {
    const [event, message] = all;
    if (event === "message" && isStart(message)) {
      Reflect.deleteProperty(process, "emit");
      report(socketPath, message.asks);
    }
    return emit(...all);
  };
  Reflect.set(process, "emit", emitAndLook);
}
