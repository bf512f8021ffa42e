import type { Domain, DomainState } from "../../domains/domain.ts";
import { cheating } from "../domains/cheats.ts";
import type { Random } from "../random.ts";

interface HostDomainPorts {
  readonly random: Random;
  /** Whether its node is one of a member that lies. */
  readonly isLying: () => boolean;
  /** States that its node sees. */
  readonly known: () => readonly DomainState[];
  /** A call of the domain takes the node's thread for a while. */
  readonly onCall: (domain: string) => void;
}

/** A domain on one node: it takes time, and where a member lies, it cheats in what it assembles and endorses everything. */
export function hostDomain(domain: Domain, ports: HostDomainPorts): Domain {
  const { random, isLying, known, onCall } = ports;
  const cheat = cheating(domain, random, known);
  return {
    ...domain,
    assemble: (intent, view) => {
      onCall(domain.name);
      return (isLying() ? cheat : domain).assemble(intent, view);
    },
    endorse: (step) => {
      onCall(domain.name);
      return isLying() ? undefined : domain.endorse(step);
    },
  };
}
