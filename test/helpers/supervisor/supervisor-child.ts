import { createCoordinatorMethods } from "../../../src/api/rpc/methods/coordinator.ts";
import { OperatorServer } from "../../../src/api/rpc/operator-server.ts";
import { machineTimers } from "../../../src/async/timers.ts";
import { Control } from "../../../src/replica/control.ts";
import { createOperations } from "../../../src/supervisor/operations.ts";
import { Supervisor } from "../../../src/supervisor/supervisor.ts";
import type { SupervisorSettings } from "./supervisor-process.ts";

/** A supervisor in a process of its own. It says its address, and then its facts. */
const settings = JSON.parse(process.argv[2] ?? "") as SupervisorSettings;

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const supervisor = new Supervisor(
  { ...settings, rpc: undefined },
  {
    timers: machineTimers,
    onFact: (fact) => {
      say(
        fact.type === "Trouble"
          ? { type: fact.type, error: String(fact.error) }
          : fact,
      );
    },
  },
);
const control = new Control(
  { ...settings, requestMs: 5_000 },
  { timers: machineTimers, wakesUp: () => false },
);
const server = new OperatorServer(
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
say({ type: "Ready", rpc: await server.start() });
supervisor.start();
setInterval(() => undefined, 1_000_000);
