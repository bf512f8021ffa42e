import type { NodeName } from "../../src/protocol/ids.ts";
import type { Receive } from "../../src/runtime/ports.ts";
import { Hub } from "../../src/runtime/transport/in-process.ts";
import type {
  Member,
  SealedTransport,
} from "../../src/runtime/transport/sealed-transport.ts";

/** What one node was told by another. */
export interface Letter {
  readonly from: NodeName;
  readonly to: NodeName;
  readonly body: string;
}

/** A network that remembers who was told what. */
export class RecordingHub extends Hub {
  readonly letters: Letter[] = [];

  override join(member: Member, receive: Receive): SealedTransport {
    return super.join(member, (from, body) => {
      this.letters.push({ from, to: member.name, body });
      receive(from, body);
    });
  }

  /** Everything that a node was told. */
  toldTo(name: string): readonly Letter[] {
    return this.letters.filter(({ to }) => to === name);
  }
}
