import { createInterface } from "node:readline";

import type { Activate } from "../../src/replica/activation.ts";
import type { OpenDisk } from "../../src/store/disk.ts";
import { ReplicaNode } from "./replica-node.ts";
import type { ChildSettings, Command } from "./replica-process.ts";
import { openOperators } from "./supervisor/operated.ts";

/** A replica in a process of its own. It says its roles, and answers one line for each that it reads. */
const settings = JSON.parse(process.argv[2] ?? "") as ChildSettings;

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Dies when turns have become durable, before anybody hears of it. */
let diesAfterAppend = false;
const mortal =
  (open: OpenDisk): OpenDisk =>
  (file) => {
    const disk = open(file);
    return {
      ...disk,
      flush: (done) => {
        disk.flush((error) => {
          if (diesAfterAppend) die();
          else done(error);
        });
      },
    };
  };

const dying =
  (plain: Activate): Activate =>
  async (openDisk, fail) => {
    const node = await plain(mortal(openDisk), fail);
    if (settings.dies === "when its store is open") die();
    if (settings.dies === "when its boot is durable") {
      await child.store?.database.settled();
      die();
    }
    return node;
  };

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const { operators, name } = settings;
const operatorRpc =
  operators &&
  (await openOperators({ ...operators, name }, () => child.replica));

const about = {
  version: "1.0.0",
  ...(operatorRpc !== undefined && { operatorRpc, rpc: operatorRpc }),
};

const child: ReplicaNode = new ReplicaNode(
  { about, ...settings },
  {
    activate: dying,
    onRole: (role) => {
      say({ role });
    },
  },
);

async function answer({ does, n }: Command): Promise<unknown> {
  switch (does) {
    case "save":
      await child.save(n ?? 0);
      return true;
    case "die after append":
      diesAfterAppend = true;
      return true;
    case "certain":
      return child.replica.isCertain;
    case "standing":
      return {
        isCertain: child.replica.isCertain,
        epoch: child.replica.sample().epoch,
        // The same clock in all processes of a machine.
        at: Number(process.hrtime.bigint()),
      };
    case "role":
      return child.replica.role;
    case "saved":
      return child.saved();
    case "facts":
      return child.facts.map(({ type }) => type);
    case "stop":
      await child.replica.stop();
      return true;
  }
}

await child.replica.start();
for await (const line of createInterface({ input: process.stdin })) {
  const value = await answer(JSON.parse(line) as Command).catch(
    (error: unknown) => ({ error: String(error) }),
  );
  say({ answer: value });
}
process.exit(0);
