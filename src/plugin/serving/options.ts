import { resolve } from "node:path";

import { parseNodeName, type NodeName } from "../../protocol/ids.ts";
import { SequencerError } from "../errors.ts";
import { type LogLevel, logLevels } from "../../runtime/monitor/log-lines.ts";
import { parseChoice, parseNumber } from "../parse-option.ts";
import { parseHostAndPort } from "../peers-config.ts";

/** What the user asks of `sequencer:node`, as typed. */
export interface NodeOptions {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly listen?: string | undefined;
  readonly rpcPort?: string | undefined;
  readonly statusPort?: string | undefined;
  readonly logLevel?: string | undefined;
}

/** What the user asks for, checked. */
export interface NodeRequest {
  readonly name: NodeName;
  /** The node's own folder, absolute. */
  readonly directory: string;
  /** Where to listen to other nodes; undefined: where the configuration says that they find it. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** For HTTP; WebSocket is on the next. 0 means any. */
  readonly rpcPort: number;
  /** For health and metrics. 0 means any. */
  readonly statusPort: number;
  /** The least that is written down. */
  readonly level: LogLevel;
}

const rpcPortDefault = 8550;
const statusPortDefault = 8552;
const portMax = 65_535;

/** Checks everything that can be checked without the configuration, a chain and a disk. */
export function parseNodeOptions(options: NodeOptions): NodeRequest {
  return {
    ...parseHome(options),
    listen: parseListen(options.listen),
    rpcPort:
      parseNumber("--rpc-port", options.rpcPort, {
        min: 0,
        max: portMax - 1,
      }) ?? rpcPortDefault,
    statusPort:
      parseNumber("--status-port", options.statusPort, {
        min: 0,
        max: portMax,
      }) ?? statusPortDefault,
    level: parseChoice("--log-level", options.logLevel, logLevels) ?? "info",
  };
}

/** Whose files, and where they are. */
export function parseHome(options: {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
}): Pick<NodeRequest, "name" | "directory"> {
  const name = parseNodeName(options.name);
  if (name === undefined)
    throw new SequencerError("NODE_NAME_INVALID", { name: options.name ?? "" });
  const { dataDir = "" } = options;
  if (dataDir.trim() === "" || dataDir.includes("\0"))
    throw new SequencerError("DATA_DIR_MISSING", { node: name });
  return { name, directory: resolve(dataDir, name) };
}

function parseListen(text: string | undefined): NodeRequest["listen"] {
  if (text === undefined) return undefined;
  const listen = parseHostAndPort(text);
  if (listen === undefined)
    throw new SequencerError("LISTEN_INVALID", { value: text });
  return listen;
}
