import type { Part } from "./part.ts";
import { alone } from "./parts/alone.ts";
import { core } from "./parts/core.ts";
import { cpu } from "./parts/cpu.ts";
import { failover } from "./parts/failover.ts";
import { gas } from "./parts/gas.ts";
import { groups } from "./parts/groups.ts";
import { intents } from "./parts/intents.ts";
import { latency } from "./parts/latency.ts";
import { log } from "./parts/log.ts";
import { members } from "./parts/members.ts";
import { switchover } from "./parts/switchover.ts";
import { throughput } from "./parts/throughput.ts";

/** Everything that is measured, in this order. */
export const parts: ReadonlyMap<string, Part> = new Map(
  Object.entries({
    throughput,
    alone,
    gas,
    latency,
    switchover,
    failover,
    members,
    groups,
    intents,
    core,
    log,
    cpu,
  }),
);
