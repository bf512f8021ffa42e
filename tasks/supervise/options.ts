import { hostname } from "node:os";

import { SequencerError } from "../../src/plugin/errors.ts";
import { type NodeName, parseNodeName } from "../../src/protocol/ids.ts";
import { supervisorDefaults } from "../../src/supervisor/options.ts";
import { requireNodeName } from "../shared/node-home.ts";
import { parseNumber } from "../shared/parse-option.ts";

/** What the user asks of `sequencer:supervise`, as typed. */
export interface SuperviseOptions {
  readonly name?: string | undefined;
  readonly supervisor?: string | undefined;
  readonly port?: string | undefined;
  readonly readsPort?: string | undefined;
  readonly probes?: string | undefined;
  readonly probeMs?: string | undefined;
  readonly tenureMs?: string | undefined;
}

/** The same, checked. */
export interface SuperviseRequest {
  readonly node: NodeName;
  readonly supervisor: string;
  /** For operators. 0 means any. */
  readonly port: number;
  /** For reads of users; undefined: none are forwarded. */
  readonly readsPort: number | undefined;
  readonly probes: number;
  readonly probeMs: number;
  readonly tenureMsMin: number;
}

const portDefault = 8560;
const ports = { min: 0, max: 65_535 };

/** Checks everything that can be checked without the configuration and a database. */
export function parseSuperviseOptions(
  options: SuperviseOptions,
): SuperviseRequest {
  const { probes, probeMs, tenureMsMin } = supervisorDefaults;
  return {
    node: requireNodeName(options.name),
    supervisor: parseSupervisor(options.supervisor),
    port: parseNumber("--port", options.port, ports) ?? portDefault,
    readsPort: parseNumber("--reads-port", options.readsPort, ports),
    probes:
      parseNumber("--probes", options.probes, { min: 1, max: 1_000 }) ?? probes,
    probeMs:
      parseNumber("--probe-ms", options.probeMs, { min: 50, max: 60_000 }) ??
      probeMs,
    tenureMsMin:
      parseNumber("--tenure-ms", options.tenureMs, {
        min: 0,
        max: 86_400_000,
      }) ?? tenureMsMin,
  };
}

function parseSupervisor(text: string | undefined): string {
  if (text === undefined) return hostname();
  if (parseNodeName(text) === undefined)
    throw new SequencerError("REPLICA_NAME_INVALID", {
      option: "--supervisor",
      value: text,
    });
  return text;
}
