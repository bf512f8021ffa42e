import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { Method } from "../../src/api/rpc/method.ts";
import {
  HttpRpcServer,
  operatorServer,
} from "../../src/api/rpc/http-rpc-server.ts";
import { withDiscovery } from "../../src/api/rpc/operator-methods.ts";
import { createCoordinatorMethods } from "../../src/api/rpc/methods/coordinator.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { Parts } from "../../src/host/parts.ts";
import { Control } from "../../src/replica/control.ts";
import { prepareSchema } from "../../src/replica/prepare.ts";
import { readElection } from "../../src/supervisor/election-view.ts";
import { createForwarded } from "../../src/supervisor/forward.ts";
import { createOperations } from "../../src/supervisor/operations.ts";
import { supervisorDefaults } from "../../src/supervisor/options.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";
import { closeOrLeave } from "../shared/close-or-leave.ts";
import { createControl } from "../shared/control.ts";
import {
  databaseOf,
  type NodeDatabase,
  requestMs,
  withDatabaseErrors,
} from "../shared/database.ts";
import { refusalOf } from "../shared/rpc-servers.ts";
import {
  type OperatorAccess,
  readOperatorAccess,
  readToken,
} from "../shared/tokens.ts";
import type { SuperviseFact } from "./facts.ts";
import { factOf } from "./format.ts";
import type { SuperviseRequest } from "./options.ts";

/** How long the active replica may take to answer a read that was forwarded. */
const FORWARD_MS = 10_000;

interface SupervisePorts {
  readonly tell: (fact: SuperviseFact) => void;
  readonly report: (error: unknown) => void;
  /** Milliseconds of real time. */
  readonly now: () => number;
  /** Calls back for every polite request to end. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** Supervises the replicas of a node until somebody ends it. */
export async function supervise(
  hre: HardhatRuntimeEnvironment,
  request: SuperviseRequest,
  ports: SupervisePorts,
): Promise<void> {
  const control = createControl(ports.now);
  const parts = new Parts();
  const alive = setInterval(() => undefined, 1_000_000);
  await parts.add(() => {
    clearInterval(alive);
  });
  await parts.add(ports.onInterrupt(control.interrupt));
  try {
    const { servers } = hre.config.sequencer;
    const access = await readOperatorAccess(servers, request.port, "--port");
    const database = await databaseOf(hre, request.node);
    await withDatabaseErrors(database, async () => {
      await prepareSchema({ ...database, buckets: 1, requestMs });
    });
    const serving = serveSupervisor(
      hre,
      { request, access, database, parts },
      ports,
    );
    serving.catch(() => undefined);
    await Promise.race([control.ended, serving.then(ports.tell)]);
    await control.ended;
    ports.tell({ type: "stopping" });
  } finally {
    await closeOrLeave(parts, control, 0);
  }
}

/** Opens its servers and starts it; gives where it can be reached. */
async function serveSupervisor(
  hre: HardhatRuntimeEnvironment,
  given: {
    readonly request: SuperviseRequest;
    readonly access: OperatorAccess;
    readonly database: NodeDatabase;
    readonly parts: Parts;
  },
  { tell, report }: SupervisePorts,
): Promise<SuperviseFact> {
  const { request, access, database, parts } = given;
  const { node, supervisor: name, readsPort } = request;
  const { url, schema, bucket } = database;
  const queries = new Control(
    { ...database, name, requestMs },
    { timers: machineTimers, wakesUp: () => false },
  );
  await parts.add(() => {
    queries.close();
  });
  const place = { schema, bucket };
  const supervisor = new Supervisor(
    {
      ...supervisorDefaults,
      ...request,
      ...place,
      url,
      name,
      token: access.token,
    },
    {
      timers: machineTimers,
      onFact: (fact) => {
        tell(factOf(fact));
      },
    },
  );
  const methods = withDiscovery(
    createCoordinatorMethods(
      createOperations({ ...place, name }, { control: queries, supervisor }),
    ),
  );
  const operators = operatorServer({ ...access, methods }, { report });
  const operatorsUrl = await open(operators, parts, {
    node,
    host: access.host,
    port: request.port,
    option: "--port",
  });
  const forwarded = createForwarded(
    {
      token: await readToken(hre.config.sequencer.servers.rpcToken, "rpcToken"),
      waitMs: FORWARD_MS,
    },
    { read: async () => await readElection(queries, place) },
  );
  const readsUrl =
    readsPort === undefined
      ? null
      : await openReads(hre, forwarded, {
          node,
          port: readsPort,
          parts,
          report,
        });
  supervisor.start(operatorsUrl);
  await parts.add(supervisor.stop);
  return { type: "ready", node, supervisor: name, url: operatorsUrl, readsUrl };
}

/** Answers users with the token of the JSON-RPC of nodes, where that is listened for. */
async function openReads(
  hre: HardhatRuntimeEnvironment,
  methods: readonly Method[],
  {
    node,
    port,
    parts,
    report,
  }: {
    readonly node: string;
    readonly port: number;
    readonly parts: Parts;
    readonly report: (error: unknown) => void;
  },
): Promise<string> {
  const { servers } = hre.config.sequencer;
  const { rpcHost: host, rpcAllowedHosts, rpcAllowedOrigins } = servers;
  const server = new HttpRpcServer(
    {
      host,
      port,
      token: await readToken(servers.rpcToken, "rpcToken"),
      allowedHosts: rpcAllowedHosts,
      allowedOrigins: rpcAllowedOrigins,
      methods,
    },
    { report },
  );
  return await open(server, parts, {
    node,
    host,
    port,
    option: "--reads-port",
  });
}

async function open(
  server: HttpRpcServer,
  parts: Parts,
  place: {
    readonly node: string;
    readonly host: string;
    readonly port: number;
    readonly option: string;
  },
): Promise<string> {
  const { node, host, port, option } = place;
  try {
    const url = await server.start();
    await parts.add(async () => {
      await server.stop();
    });
    return url;
  } catch (error) {
    throw refusalOf(error, {
      node,
      port,
      host: { name: host, option: "sequencer.servers" },
      purpose: "the supervisor",
      option,
    });
  }
}
