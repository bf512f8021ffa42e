import { SequencerError } from "../../src/plugin/errors.ts";
import type { Host, Listening } from "../../src/host/host.ts";
import { reasonOf } from "../../src/host/parts.ts";

/** Opens the JSON-RPC of a node, on this machine only unless told. Every node has two ports. */
export async function openRpc(
  host: Host,
  options: {
    /** Of the first node, for HTTP; 0 means any. */
    readonly port: number;
    /** Of this node, from 0. */
    readonly index: number;
    /** Where it listens, and to whom it answers. */
    readonly access?: Omit<
      Parameters<Host["listen"]>[0],
      "httpPort" | "webSocketPort"
    >;
  },
  ports: { readonly report: (error: unknown) => void },
): Promise<Listening> {
  const isAny = options.port === 0;
  const httpPort = isAny ? 0 : options.port + 2 * options.index;
  const webSocketPort = isAny ? 0 : httpPort + 1;
  try {
    return await host.listen(
      { ...options.access, httpPort, webSocketPort },
      ports.report,
    );
  } catch (error) {
    throw refusalOf(reasonOf(error), {
      node: host.name,
      port: httpPort,
      host: { name: options.access?.host ?? "127.0.0.1", option: "--rpc-host" },
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
    readonly host: { readonly name: string; readonly option: string };
    readonly purpose: string;
    readonly option: string;
  },
): unknown {
  if (!(error instanceof Error)) return error;
  const code: unknown = Reflect.get(error, "code");
  const port: unknown = Reflect.get(error, "port");
  const where = { ...wanted, ...(typeof port === "number" && { port }) };
  if (code === "EADDRINUSE") return new SequencerError("PORT_IN_USE", where);
  const { node, purpose, host } = wanted;
  if (typeof code === "string" && /^(EADDRNOTAVAIL|ENOTFOUND|EAI_)/.test(code))
    return new SequencerError("HOST_REFUSED", {
      node,
      purpose,
      host: host.name,
      option: host.option,
      reason: code,
    });
  if (typeof code === "string" && /^(EACCES|EADDR|ERR_SOCKET)/.test(code))
    return new SequencerError("PORT_REFUSED", { ...where, reason: code });
  return error;
}
