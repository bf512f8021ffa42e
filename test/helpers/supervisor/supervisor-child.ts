import { inspect } from "node:util";

import { createCoordinatorMethods } from "../../../src/api/rpc/methods/coordinator.ts";
import { operatorServer } from "../../../src/api/rpc/http-rpc-server.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import { Control } from "../../../src/replica/control.ts";
import { createOperations } from "../../../src/supervisor/operations.ts";
import { Supervisor } from "../../../src/supervisor/supervisor.ts";
import type { SupervisorOptions } from "../../../src/supervisor/options.ts";

/** A supervisor in a process of its own. It says its address, and then its facts. */
const settings = JSON.parse(process.argv[2] ?? "") as SupervisorOptions;

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const supervisor = new Supervisor(settings, {
  timers: machineTimers,
  onFact: (fact) => {
    const isTrouble = fact.type === "Trouble" && fact.error !== undefined;
    say(isTrouble ? { ...fact, error: inspect(fact.error) } : fact);
  },
});
const control = new Control(
  { ...settings, requestMs: 5_000 },
  { timers: machineTimers, wakesUp: () => false },
);
const server = operatorServer(
  {
    host: "127.0.0.1",
    port: 0,
    token: settings.token,
    methods: createCoordinatorMethods(
      createOperations(settings, { control, supervisor }),
    ),
  },
  {
    report: (error) => {
      console.error(error);
    },
  },
);
const rpc = await server.start();
say({ type: "Ready", rpc });
supervisor.start(rpc);
setInterval(() => undefined, 1_000_000);
