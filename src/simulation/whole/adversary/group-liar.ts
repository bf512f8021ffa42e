import { createState } from "../../../domains/states/content.ts";
import { signTogether } from "../../../keys/step-signatures.ts";
import type { NodeGroup } from "../../../node/service.ts";
import { ticksOf } from "../../../node/settings.ts";
import type { Hashing } from "../../../protocol/config.ts";
import type { Digest, IntentId } from "../../../protocol/ids.ts";
import type { FaultCounter } from "../../faults.ts";
import { createLiar } from "../../liars/create.ts";
import type { Liar, LiarPorts } from "../../liars/liar.ts";
import type { Queue } from "../../queue.ts";
import { Random } from "../../random.ts";
import type { HostKeys, SimulatedHost } from "../host.ts";
import type { WholeSettings } from "../settings.ts";

/** A group that a member that lies is in, and what it does there. */
export interface LiarsGroup {
  readonly group: NodeGroup;
  readonly hashing: Hashing;
  readonly liar: Liar;
}

interface GroupLiarPorts extends Pick<LiarPorts, "say" | "execute"> {
  readonly host: SimulatedHost;
  readonly keys: HostKeys;
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly isLying: () => boolean;
  readonly signDigest: (digest: Digest) => string;
  /** What users of others asked for. */
  readonly payloads: readonly string[];
}

/** A liar of the kind that the run has, in one group. */
export function createGroupLiar(
  { seed, node: settings, blockMs, plan, liar }: WholeSettings,
  { group, hashing }: Pick<LiarsGroup, "group" | "hashing">,
  ports: GroupLiarPorts,
): Liar {
  const { host, keys, queue, faults, isLying, signDigest } = ports;
  const { address } = group;
  const random = new Random(seed, `liar ${host.name} ${address}`);
  return createLiar({
    self: host.name,
    keys: {
      signStep: (hash) => signTogether([hash], keys.identity.sign)[0] ?? "",
      signDigest,
    },
    settings: {
      seed,
      tickMs: settings.tickMs,
      blockMs,
      config: {
        ...ticksOf(settings),
        members: group.members,
        committee: group.endorsers,
        threshold: group.threshold,
        hashing,
      },
    },
    makeUp: {
      payload: () => random.pick(Object.values(ports.payloads)),
      state: (intentId: IntentId) => {
        const [known] = host.node?.states(address) ?? [];
        const origin = { intentId, index: random.below(4) };
        const salt = `0x${random.word().toString(16).padStart(32, "0")}`;
        return known && createState(known, origin, salt);
      },
    },
    liar,
    random,
    queue,
    faults,
    plan: () => plan,
    height: () => host.node?.height() ?? 0,
    boot: () => host.node?.status().boot ?? 0,
    isUp: () => host.isUp,
    isLying,
    say: ports.say,
    execute: ports.execute,
  });
}
