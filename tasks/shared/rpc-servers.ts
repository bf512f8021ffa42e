import { SequencerError } from "../../src/plugin/errors.ts";
import type { Host, Listening } from "../../src/host/host.ts";
import { reasonOf } from "../../src/host/parts.ts";

/** Opens the JSON-RPC of a node, on this machine only. Every node has two ports. */
export async function openRpc(
  host: Host,
  options: {
    /** Of the first node, for HTTP; 0 means any. */
    readonly port: number;
    /** Of this node, from 0. */
    readonly index: number;
  },
  ports: { readonly report: (error: unknown) => void },
): Promise<Listening> {
  const isAny = options.port === 0;
  const httpPort = isAny ? 0 : options.port + 2 * options.index;
  const webSocketPort = isAny ? 0 : httpPort + 1;
  try {
    return await host.listen({ httpPort, webSocketPort }, ports.report);
  } catch (error) {
    throw refusalOf(reasonOf(error), {
      node: host.name,
      port: httpPort,
      purpose: "the JSON-RPC",
      option: "--rpc-port",
    });
  }
}

/** Why a port cannot be opened, for the user. Other errors stay as they are. */
export function refusalOf(
  error: unknown,
  wanted: {
    readonly node: string;
    readonly port: number;
    readonly purpose: string;
    readonly option: string;
  },
): unknown {
  if (!(error instanceof Error)) return error;
  const code: unknown = Reflect.get(error, "code");
  const port: unknown = Reflect.get(error, "port");
  const where = { ...wanted, ...(typeof port === "number" && { port }) };
  if (code === "EADDRINUSE") return new SequencerError("PORT_IN_USE", where);
  if (typeof code === "string" && /^(EACCES|EADDR|ERR_SOCKET)/.test(code))
    return new SequencerError("PORT_REFUSED", { ...where, reason: code });
  return error;
}
