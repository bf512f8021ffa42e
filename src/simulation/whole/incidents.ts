import type { NodeName } from "../../protocol/ids.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import type { ChainFaults } from "../chain-rpc/rpc/faults.ts";
import { type FaultCounter, type FaultPlan, noFaults } from "../faults.ts";
import type { Queue } from "../queue.ts";
import type { Random } from "../random.ts";
import type { FlushFault } from "./disk.ts";
import type { SimulatedHost } from "./host.ts";
import { wallMsAt } from "./machine.ts";
import type { WholeSettings } from "./settings.ts";

/** Blocks that a reorganisation replaces at most. */
const DEPTH_MAX = 4;
/** How long a flush takes when nothing is wrong. */
const FLUSH_MS = 0.1;

interface IncidentPorts {
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  readonly ledger: SimulatedLedger;
  readonly hosts: ReadonlyMap<NodeName, SimulatedHost>;
  readonly onLost: (name: NodeName) => void;
  readonly say: (name: string, what: string) => void;
}

/** What happens to machines and to the chain: blocks, reorganisations, crashes, lost and slow disks, frozen processes. */
export class Incidents {
  readonly #settings: WholeSettings;
  readonly #ports: IncidentPorts;
  #plan: FaultPlan = noFaults;
  /** The node whose disk was lost. */
  #lost: NodeName | undefined;
  /** Blocks up to this one stay. */
  #floor = 0;

  constructor(settings: WholeSettings, ports: IncidentPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Blocks come for as long as the run lasts. */
  startMining(): void {
    const { queue, random, ledger } = this.#ports;
    const { blockMs } = this.#settings;
    queue.after(random.between(blockMs / 2, 2 * blockMs), () => {
      ledger.mine({ timestampMs: wallMsAt(queue.now) });
      this.startMining();
    });
  }

  /** From now on things go wrong. */
  start(): void {
    this.#plan = this.#settings.plan;
    this.#floor = this.#ports.ledger.head.number;
    const { crashEveryMs, freezeEveryMs, reorgEveryMs } = this.#plan;
    this.#sometimes(crashEveryMs, () => {
      this.#crash(this.#ports.random.pick(this.#settings.names));
    });
    this.#sometimes(freezeEveryMs, () => {
      this.#freeze(this.#ports.random.pick(this.#settings.names));
    });
    this.#sometimes(reorgEveryMs, () => {
      this.#reorganise();
    });
  }

  heal(): void {
    this.#plan = noFaults;
    for (const name of this.#settings.names) this.#start(name);
  }

  /** What goes wrong between a node and the chain, while anything does. */
  chainFaults(): Partial<ChainFaults> {
    const { rpcError, dropFromPool } = this.#settings.plan;
    return {
      hideLogs: rpcError,
      loseReceipts: rpcError,
      loseBlocks: rpcError / 4,
      dropTransactions: dropFromPool,
      rateLimit: rpcError / 4,
      fail: rpcError,
      loseRequests: rpcError / 2,
      loseAnswers: rpcError / 2,
      hang: rpcError / 8,
      absurd: rpcError / 8,
      garble: rpcError / 8,
    };
  }

  flushMs(): number {
    const { random } = this.#ports;
    const { slowDisk, slowDiskMs } = this.#plan;
    return random.chance(slowDisk) ? random.below(slowDiskMs) : FLUSH_MS;
  }

  drawFlushFault(): FlushFault {
    const { random, faults } = this.#ports;
    if (random.chance(this.#settings.diskLies)) return "lies";
    if (!random.chance(this.#plan.failedCommit)) return "none";
    faults.count("disk-failed");
    return random.pick(["fails", "fails after all"] as const);
  }

  /** A node has written something down, and nobody knows of it yet. */
  flushed(name: NodeName): void {
    const { random, faults } = this.#ports;
    if (!random.chance(this.#plan.crashAtCommit)) return;
    faults.count("crash-after-commit");
    this.#crash(name);
  }

  /** A node cannot go on: somebody starts it again. */
  stopped(name: NodeName): void {
    this.#ports.hosts.get(name)?.crash({ isKept: true });
    this.#startLater(name);
  }

  #sometimes(everyMs: number, act: () => void): void {
    const { queue, random } = this.#ports;
    if (everyMs === 0) return;
    queue.after(random.tail(everyMs) + 1, () => {
      if (this.#plan === noFaults) return;
      act();
      this.#sometimes(everyMs, act);
    });
  }

  #crash(name: NodeName): void {
    const { random, faults, hosts, say, onLost } = this.#ports;
    const host = hosts.get(name);
    if (host?.isUp !== true) return;
    faults.count("crash");
    host.crash({ isKept: random.chance(0.5) });
    // Somebody must be left who knows everything.
    const isLost =
      (this.#lost ?? name) === name && random.chance(this.#settings.loseDisk);
    if (isLost) {
      this.#lost = name;
      faults.count("disk-lost");
      host.loseDisk();
      onLost(name);
    }
    say(name, isLost ? "crashes and loses its disk" : "crashes");
    this.#startLater(name);
  }

  #startLater(name: NodeName): void {
    const { queue, random } = this.#ports;
    queue.after(random.tail(this.#settings.plan.downMs) + 1, () => {
      this.#start(name);
    });
  }

  #start(name: NodeName): void {
    const host = this.#ports.hosts.get(name);
    if (host === undefined || host.isUp) return;
    this.#ports.say(name, "starts");
    host.start();
  }

  #freeze(name: NodeName): void {
    const { random, faults, hosts } = this.#ports;
    faults.count("freeze");
    hosts.get(name)?.freeze(random.tail(this.#settings.plan.freezeMs) + 1);
  }

  #reorganise(): void {
    const { random, faults, ledger, queue, say } = this.#ports;
    const depth = Math.min(
      ledger.head.number - this.#floor,
      random.between(1, DEPTH_MAX),
    );
    if (depth <= 0) return;
    faults.count("reorganisation");
    say("chain", `replaces ${depth} blocks`);
    ledger.reorganise({
      depth,
      blocks: depth + 1,
      timestampMs: wallMsAt(queue.now),
      isLost: () => random.chance(0.3),
    });
  }
}
