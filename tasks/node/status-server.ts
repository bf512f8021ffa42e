import { type MonitorDoor, openMonitorDoor } from "../../src/monitor/door.ts";
import type { Monitor } from "../../src/monitor/monitor.ts";
import { refusalOf } from "../shared/rpc-servers.ts";

/** Tells watchers on this machine how the node is. */
export async function openStatusServer(
  { node, port }: { readonly node: string; readonly port: number },
  ports: {
    readonly monitor: Monitor;
    readonly report: (error: unknown) => void;
  },
): Promise<MonitorDoor> {
  try {
    return await openMonitorDoor({ port }, ports);
  } catch (error) {
    throw refusalOf(error, {
      node,
      port,
      purpose: "health and metrics",
      option: "--status-port",
    });
  }
}
