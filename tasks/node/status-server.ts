import { type MonitorDoor, openMonitorDoor } from "../../src/monitor/door.ts";
import type { Monitor } from "../../src/monitor/monitor.ts";
import { refusalOf } from "../shared/rpc-servers.ts";
import type { ServerAccess } from "./servers.ts";

/** Tells watchers how the node is. */
export async function openStatusServer(
  {
    node,
    ...options
  }: ServerAccess["status"] & {
    readonly node: string;
    readonly port: number;
  },
  ports: {
    readonly monitor: Monitor;
    readonly report: (error: unknown) => void;
  },
): Promise<MonitorDoor> {
  try {
    return await openMonitorDoor(options, ports);
  } catch (error) {
    throw refusalOf(error, {
      node,
      port: options.port,
      host: { name: options.host, option: "--status-host" },
      purpose: "health and metrics",
      option: "--status-port",
    });
  }
}
