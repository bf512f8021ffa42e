import {
  type MonitorDoor,
  openMonitorDoor,
} from "../../runtime/monitor/door.ts";
import type { Monitor } from "../../runtime/monitor/monitor.ts";
import { refusalOf } from "../running/doors.ts";

/** Tells watchers on this machine how the node is. */
export async function openStatusDoor(
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
