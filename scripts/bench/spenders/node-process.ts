// One node in a process of its own, for the process that started this one: it does what that asks, and answers.
import { join } from "node:path";

import { parseAddress } from "../../../src/ledger/index.ts";
import { Member } from "../../../src/cluster/member.ts";
import { builtInDomains } from "../../../src/domains/built-in.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { parsePublicKey } from "../../../src/keys/identity.ts";
import { createEndorser, createPayer } from "../../../src/keys/secp256k1.ts";
import { loadWallet } from "../../../src/keys/wallet-file.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import {
  openSocketNetwork,
  type SocketNetwork,
} from "../../../src/network/socket/network.ts";
import { contentOf } from "../pot.ts";
import type { Answer, Request, RequestName, Requests } from "./requests.ts";

type Handlers = {
  readonly [Name in RequestName]: (
    asks: Requests[Name]["asks"],
  ) => Promise<Requests[Name]["answers"]>;
};

let running: { readonly member: Member; readonly sockets: SocketNetwork };

const handlers: Handlers = {
  start: async (options) => {
    running = await start(options);
    return undefined;
  },
  createGroup: async (plan) => {
    const { address } = await running.member.node.createGroup(plan);
    return address;
  },
  join: async (group) => {
    await until(() => running.member.node.group(group) !== undefined);
    return undefined;
  },
  send: async ({ group, call, count, openMax }) => {
    const { member } = running;
    let left = count;
    let last = 0;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const id = await member.send({ group, ...call });
        const receipt = await member.receipt(group, id);
        if (receipt.type !== "Confirmed")
          throw new Error(`Not confirmed: ${JSON.stringify(receipt)}.`);
        last = Math.max(last, receipt.block);
      }
    };
    await Promise.all(Array.from({ length: openMax }, work));
    return last;
  },
  see: async (block) => {
    await until(() => running.member.node.height() >= block);
    return undefined;
  },
  look: async (group) => await contentOf(running.member, group),
  stop: async () => {
    await running.member.stop();
    await running.sockets.stop();
    return undefined;
  },
};

async function start(
  options: Requests["start"]["asks"],
): Promise<typeof running> {
  const { name, directory, peers, privateKey } = options;
  const own = peers.find((peer) => peer.name === name);
  if (own === undefined) throw new Error(`${name} is not among its peers.`);
  const identity = loadIdentity({ directory });
  const known = new Map(
    peers.map((peer) => [
      peer.name,
      {
        publicKey: parsePublicKey(peer.publicKey),
        endorser: parseAddress(peer.endorser),
      },
    ]),
  );
  const registry = new Map(
    [...known].map(([peer, { publicKey }]) => [peer, publicKey]),
  );
  const sockets = await openSocketNetwork(
    {
      name,
      identity,
      registry,
      addresses: new Map(peers.map((peer) => [peer.name, [peer.address]])),
      listen: own.address,
    },
    { timers: machineTimers },
  );
  const member = new Member(
    { ...options, file: join(directory, "node.db") },
    {
      connect: sockets.connect,
      client: openChainClient(options.url),
      identity,
      peers: known,
      endorser: createEndorser(privateKey),
      wallet: loadWallet({ directory }),
      domains: builtInDomains,
      payers: [createPayer(privateKey)],
      onFact: (fact) => {
        if (fact.type === "SubmissionFailed")
          tell({ failure: `${fact.failure}: ${fact.reason}` });
      },
      onFatal: (error) => {
        throw new Error(`${name} has stopped.`, { cause: error });
      },
    },
  );
  member.start();
  return { member, sockets };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

function tell(answer: Answer): void {
  process.send?.(answer);
}

async function handle({ number, name, asks }: Request): Promise<void> {
  try {
    const handler = handlers[name] as (asks: unknown) => Promise<unknown>;
    tell({ number, answers: await handler(asks) });
  } catch (error) {
    const text = error instanceof Error ? error.stack : String(error);
    tell({ number, error: text ?? "unknown" });
  }
}

process.on("message", (request) => void handle(request as Request));
// Nobody asks any more.
process.once("disconnect", () => process.exit(0));
