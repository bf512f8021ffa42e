import type { NodeName } from "../../src/protocol/ids.ts";
import { Hub } from "../../src/network/in-process.ts";
import {
  openSocketNetwork,
  type SocketNetwork,
} from "../../src/network/socket/network.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { FaultCounter, noFaults } from "../../src/simulation/faults.ts";
import { Network } from "../../src/simulation/network.ts";
import { Queue } from "../../src/simulation/queue.ts";
import { Random } from "../../src/simulation/random.ts";
import { Members } from "../helpers/members.ts";
import { nodeName } from "../helpers/stores.ts";
import { describeCarrier } from "./suites/carrier.ts";
import { untilInTime } from "./suites/real-time.ts";

const names = ["alice", "bob", "carol"].map(nodeName);

describeCarrier("within a process", async () => {
  const hub = new Hub();
  return await Promise.resolve({
    connect: (name, arrive) => hub.connect(name, arrive),
    until: untilInTime,
    stop: async () => {
      hub.stop();
      await Promise.resolve();
    },
  });
});

describeCarrier("TLS sockets", async () => {
  const members = new Members(...names);
  const host = "127.0.0.1";
  const networks = new Map<NodeName, SocketNetwork>();
  const addresses = new Map(
    names.map((name) => [
      name,
      [
        {
          host,
          // Nobody dials before all of them listen.
          get port() {
            return networks.get(name)?.port ?? 0;
          },
        },
      ],
    ]),
  );
  for (const name of names)
    networks.set(
      name,
      await openSocketNetwork(
        {
          ...members.own(name),
          addresses,
          listen: { host, port: 0 },
        },
        { timers: machineTimers },
      ),
    );
  return {
    connect: (name, arrive) => {
      const network = networks.get(name);
      if (network === undefined) throw new Error(`${name} has no sockets.`);
      return network.connect(name, arrive);
    },
    until: untilInTime,
    stop: async () => {
      for (const network of networks.values()) await network.stop();
    },
  };
});

describeCarrier("the simulated network", async () => {
  const queue = new Queue();
  const arrivals = new Map<NodeName, (wire: Uint8Array) => void>();
  const network = new Network<Uint8Array>(
    { size: names.length, plan: noFaults },
    {
      queue,
      random: new Random(1),
      faults: new FaultCounter(),
      deliver: (to, _from, wire) => {
        const name = names[to];
        if (name !== undefined) arrivals.get(name)?.(wire);
      },
    },
  );
  return await Promise.resolve({
    // As hosts do: a name without a machine hears nothing.
    connect: (name, arrive) => {
      if (arrivals.has(name)) throw new Error(`${name} is connected already.`);
      arrivals.set(name, arrive);
      const isUp = (): boolean => arrivals.get(name) === arrive;
      return {
        carry: (to, wire) => {
          if (isUp() && names.includes(to))
            network.send(names.indexOf(name), names.indexOf(to), wire);
        },
        stop: async () => {
          if (isUp()) arrivals.delete(name);
          await Promise.resolve();
        },
      };
    },
    until: async (holds) => {
      while (!holds())
        if (!queue.step() && !holds())
          throw new Error("Nothing is left to happen.");
      await Promise.resolve();
    },
    stop: async () => {
      await Promise.resolve();
    },
  });
});
