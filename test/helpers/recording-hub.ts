import type { NodeName } from "../../src/protocol/ids.ts";
import type { Carrier } from "../../src/network/carrier.ts";
import { readEnvelope } from "../../src/network/envelope-bytes.ts";
import { Hub } from "../../src/network/in-process.ts";

/** What one node was told by another. */
export interface Letter {
  readonly from: NodeName;
  readonly to: NodeName;
  readonly body: string;
}

/** A network that remembers who was told what. */
export class RecordingHub extends Hub {
  readonly letters: Letter[] = [];

  override connect(
    name: NodeName,
    arrive: (wire: Uint8Array) => void,
  ): Carrier {
    return super.connect(name, (wire) => {
      const parts = readEnvelope(wire);
      if (parts === undefined) throw new Error("A node sent no envelope.");
      const body = Buffer.from(parts.body).toString();
      this.letters.push({ from: parts.header.from, to: name, body });
      arrive(wire);
    });
  }

  /** Everything that a node was told. */
  toldTo(name: string): readonly Letter[] {
    return this.letters.filter(({ to }) => to === name);
  }
}
