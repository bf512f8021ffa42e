import { SequencerError } from "../../src/plugin/errors.ts";
import { parseHostAndPort } from "../../src/plugin/peers-config.ts";
import { isHost } from "../../src/plugin/servers-config.ts";
import { parseNodeName } from "../../src/protocol/ids.ts";
import { type LogLevel, logLevels } from "../../src/monitor/log-lines.ts";
import { type NodeHome, parseNodeHome } from "../shared/node-home.ts";
import { parseChoice, parseNumber } from "../shared/parse-option.ts";

/** What the user asks of `sequencer:node`, as typed. */
export interface NodeOptions {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly listen?: string | undefined;
  readonly rpcPort?: string | undefined;
  readonly statusPort?: string | undefined;
  readonly rpcHost?: string | undefined;
  readonly statusHost?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly replica?: string | undefined;
  readonly operatorPort?: string | undefined;
}

/** What the user asks for, checked. */
export interface NodeRequest extends NodeHome {
  /** Where to listen to other nodes; undefined: where the configuration says that they find it. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  /** For HTTP; WebSocket is on the next. 0 means any. */
  readonly rpcPort: number;
  /** For health and metrics. 0 means any. */
  readonly statusPort: number;
  /** Where JSON-RPC listens; undefined: where the configuration says. */
  readonly rpcHost: string | undefined;
  /** Where health and metrics are; undefined: where the configuration says. */
  readonly statusHost: string | undefined;
  /** The least that is written down. */
  readonly level: LogLevel;
  /** Which replica of the node it is; undefined: that of this machine, if the node has replicas. */
  readonly replica: string | undefined;
  /** For operators and supervisors of replicas. 0 means any; undefined: they cannot reach it. */
  readonly operatorPort: number | undefined;
}

const rpcPortDefault = 8550;
const statusPortDefault = 8552;
const portMax = 65_535;

/** Checks everything that can be checked without the configuration, a chain and a disk. */
export function parseNodeOptions(options: NodeOptions): NodeRequest {
  return {
    ...parseNodeHome(options),
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
    rpcHost: parseHost("--rpc-host", options.rpcHost),
    statusHost: parseHost("--status-host", options.statusHost),
    level: parseChoice("--log-level", options.logLevel, logLevels) ?? "info",
    replica: parseReplica(options.replica),
    operatorPort: parseNumber("--operator-port", options.operatorPort, {
      min: 0,
      max: portMax,
    }),
  };
}

function parseReplica(text: string | undefined): string | undefined {
  if (text !== undefined && parseNodeName(text) === undefined)
    throw new SequencerError("REPLICA_NAME_INVALID", {
      option: "--replica",
      value: text,
    });
  return text;
}

function parseHost(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && !isHost(text))
    throw new SequencerError("HOST_INVALID", { name, value: text });
  return text;
}

function parseListen(text: string | undefined): NodeRequest["listen"] {
  if (text === undefined) return undefined;
  const listen = parseHostAndPort(text);
  if (listen === undefined)
    throw new SequencerError("LISTEN_INVALID", { value: text });
  return listen;
}
