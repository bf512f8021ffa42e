import { readEnvelope } from "../../../network/envelope-bytes.ts";
import type { NodeName } from "../../../protocol/ids.ts";
import { violation } from "../../violation.ts";

/** S52: the envelopes that one node took, over all of its starts. */
export class HeardEnvelopes {
  readonly #taken = new Set<string>();

  /** For one start of the node: gets every envelope whose content the node uses. */
  start(): (wire: Uint8Array) => void {
    const boots = new Map<NodeName, number>();
    return (wire) => {
      const header = readEnvelope(wire)?.header;
      if (header === undefined) return;
      const { from, fromSession, boot, sequence } = header;
      const name = `${from} ${fromSession} ${sequence}`;
      const what = `is heard in envelope ${sequence} of session ${fromSession}`;
      if (this.#taken.has(name)) throw violation("S52", from, `${what} twice`);
      this.#taken.add(name);
      const last = boots.get(from) ?? 0;
      if (boot < last)
        throw violation(
          "S52",
          from,
          `${what} and start ${boot}, after it was heard in start ${last}`,
        );
      boots.set(from, boot);
    };
  }
}
