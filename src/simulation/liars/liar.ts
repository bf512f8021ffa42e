import type { SequencerConfig } from "../../protocol/config.ts";
import type { Digest, NodeName, StepHash } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";
import type { DispatchRecord, Prepared } from "../../protocol/records.ts";
import type { SimulatedDomain } from "../domains/domain.ts";
import type { FaultCounter, FaultPlan } from "../faults.ts";
import type { Queue } from "../queue.ts";
import type { Random } from "../random.ts";
import type { Settings } from "../settings.ts";
import type { LiarPlan } from "./kinds.ts";

/** Something to say, and whom to say it to. */
export interface Said {
  readonly to: NodeName;
  readonly message: Message;
}

/**
 * A member that lies. Its node runs the protocol as all others do; what that says, and hears, passes through here. It says
 * anything in its own name, with everything that it has seen, but forges no signature.
 */
export interface Liar {
  /** What goes out instead of a message that its node sends. */
  readonly twist: (to: NodeName, message: Message) => readonly Said[];
  /** A message for its node, which gets it too. */
  readonly hear: (from: NodeName, message: Message) => void;
  /** Its node submits a bundle: whether that happens. It may do so itself later. */
  readonly maySubmit?: (dispatch: DispatchRecord) => boolean;
  /** Called now and then, if the plan of faults says so. */
  readonly lie?: () => void;
  /** Called when everything begins. */
  readonly start?: () => void;
}

/** A liar's own keys. */
export interface LiarKeys {
  readonly signStep: (hash: StepHash) => string;
  readonly signDigest: (digest: Digest) => string;
}

/** What a liar is and has. */
export interface LiarPorts {
  readonly self: NodeName;
  readonly keys: LiarKeys;
  readonly settings: Pick<Settings, "seed" | "tickMs" | "blockMs"> & {
    readonly config: Pick<
      SequencerConfig,
      | "members"
      | "committee"
      | "threshold"
      | "hashing"
      | "rangeSizeBlocks"
      | "validForBlocks"
      | "heartbeatTicks"
    >;
  };
  readonly makeUp: SimulatedDomain["makeUp"];
  readonly liar: LiarPlan;
  readonly random: Random;
  readonly queue: Queue;
  readonly faults: FaultCounter;
  readonly plan: () => FaultPlan;
  /** What its node has seen of the chain. */
  readonly height: () => number;
  /** How often its node has started. */
  readonly boot: () => number;
  readonly isUp: () => boolean;
  /** Whether it still lies. */
  readonly isLying: () => boolean;
  readonly say: (to: NodeName, message: Message) => void;
  /** Submits a bundle, whoever permitted it. */
  readonly execute: (prepared: Prepared) => void;
}

/** Says something after a while, if it still lies by then. */
export function sayLater(
  { queue, isLying, isUp, say }: LiarPorts,
  { to, message }: Said,
  delayMs: number,
): void {
  queue.after(delayMs, () => {
    if (isLying() && isUp()) say(to, message);
  });
}

/** Does something as soon as its node has seen a block, if it still lies by then. */
export function atHeight(
  ports: LiarPorts,
  block: number,
  act: () => void,
): void {
  const { queue, settings, isLying, isUp, height } = ports;
  queue.after(settings.blockMs / 4, () => {
    if (!isLying()) return;
    if (height() < block || !isUp()) atHeight(ports, block, act);
    else act();
  });
}

/** Does something again and again while it lies. */
export function everyMs(
  ports: Pick<LiarPorts, "queue" | "isLying" | "isUp">,
  ms: number,
  act: () => void,
): void {
  ports.queue.after(ms, () => {
    if (!ports.isLying()) return;
    if (ports.isUp()) act();
    everyMs(ports, ms, act);
  });
}
