import { resolve } from "node:path";

import { SequencerError } from "../../src/plugin/errors.ts";
import { type NodeName, parseNodeName } from "../../src/protocol/ids.ts";

/** A node's name, and the folder with its files. */
export interface NodeHome {
  readonly name: NodeName;
  /** The node's own folder, absolute. */
  readonly directory: string;
}

/** Checks `--name` and `--data-dir`. */
export function parseNodeHome(options: {
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
}): NodeHome {
  const name = requireNodeName(options.name);
  const { dataDir = "" } = options;
  if (dataDir.trim() === "" || dataDir.includes("\0"))
    throw new SequencerError("DATA_DIR_MISSING", { node: name });
  return { name, directory: resolve(dataDir, name) };
}

/** Checks `--name`. */
export function requireNodeName(text: string | undefined): NodeName {
  const name = parseNodeName(text);
  if (name === undefined)
    throw new SequencerError("NODE_NAME_INVALID", { name: text ?? "" });
  return name;
}
