import type { NodeName } from "../../protocol/ids.ts";
import type { SimulatedLedger } from "../chain-rpc/ledger.ts";
import type { ChainFaults } from "../chain-rpc/rpc/faults.ts";
import { type FaultCounter, type FaultPlan, noFaults } from "../faults.ts";
import type { Queue } from "../queue.ts";
import { Random } from "../random.ts";
import type { FlushFault } from "./disk.ts";
import type { SimulatedHost } from "./host.ts";
import { wallMsAt } from "./machine.ts";
import type { WholeSettings } from "./settings.ts";
import type { Trap } from "./trap.ts";

/** Blocks that a reorganisation replaces at most. */
const DEPTH_MAX = 4;
/** How long a flush takes when nothing is wrong. */
const FLUSH_MS = 0.1;
const BACKUP_EVERY_MS = 5_000;
/** Share of flushes that lose what was written which a log elsewhere refuses, as when another process has it. */
const REFUSED = 0.5;

interface IncidentPorts {
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  readonly ledger: SimulatedLedger;
  readonly hosts: ReadonlyMap<NodeName, SimulatedHost>;
  readonly onLost: (name: NodeName) => void;
  /** Members that lie. Of the others, the group can spare nobody's disk. */
  readonly liars: ReadonlySet<NodeName>;
  /** Whether nobody else can know what a group of the node has on the ledger. */
  readonly isOnlyEndorser: (name: NodeName) => boolean;
  /** Nodes that never come back. */
  readonly gone: ReadonlySet<NodeName>;
  /** Says what blocks may have. */
  readonly trap: () => Trap;
  readonly say: (name: string, what: string) => void;
}

/** What happens to machines and to the chain: blocks, reorganisations, crashes, lost and slow disks, frozen processes. */
export class Incidents {
  readonly #settings: WholeSettings;
  readonly #ports: IncidentPorts;
  readonly #logs: Random;
  #plan: FaultPlan = noFaults;
  /** The node whose disk was lost. */
  #lost: NodeName | undefined;
  /** Blocks up to this one stay. */
  #floor = 0;

  constructor(settings: WholeSettings, ports: IncidentPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#logs = new Random(settings.seed, "logs");
  }

  /** Blocks come for as long as the run lasts. */
  startMining(): void {
    const { queue, random, ledger, trap } = this.#ports;
    const { blockMs } = this.#settings;
    queue.after(random.between(blockMs / 2, 2 * blockMs), () => {
      trap().look();
      ledger.mine({
        timestampMs: wallMsAt(queue.now),
        mayInclude: (transaction) => trap().mayInclude(transaction),
      });
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
    this.#sometimes(BACKUP_EVERY_MS, () => {
      this.#ports.hosts
        .get(this.#ports.random.pick(this.#settings.names))
        ?.backUp();
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
    const fault = random.pick(["fails", "fails after all"] as const);
    const isRefused = fault === "fails" && this.#logs.chance(REFUSED);
    faults.count(isRefused ? "log-refused" : "disk-failed");
    return isRefused ? "refused" : fault;
  }

  /** A node has written something down, and nobody knows of it yet. */
  flushed(name: NodeName): void {
    const { random, faults } = this.#ports;
    if (!random.chance(this.#plan.crashAtCommit)) return;
    faults.count("crash-after-commit");
    this.#crash(name);
  }

  /** A bundle is on its way to the ledger: all that endorsed it may crash before it is there. */
  dispatched(endorsers: readonly NodeName[]): void {
    const { random, faults } = this.#ports;
    if (!random.chance(this.#plan.crashAtCommit)) return;
    faults.count("crash-of-endorsers");
    for (const name of endorsers) this.#crash(name);
  }

  /** A node crashes, and is started again when so much time has passed or everything heals. */
  crashFor(name: NodeName, ms: number): void {
    const { faults, hosts, say, queue } = this.#ports;
    if (hosts.get(name)?.isUp !== true) return;
    faults.count("crash");
    say(name, "crashes");
    hosts.get(name)?.crash({ isKept: true });
    queue.after(ms, () => {
      this.#start(name);
    });
  }

  /** A domain works on a node, which does nothing else meanwhile: seldom for long. */
  called(name: NodeName): void {
    const { random, faults, hosts } = this.#ports;
    const { slowDomain, slowDomainMs } = this.#settings;
    if (this.#plan === noFaults || !random.chance(slowDomain)) return;
    faults.count("domain-slow");
    hosts.get(name)?.freeze(random.below(slowDomainMs) + 1);
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
    if (random.chance(this.#settings.twins)) {
      faults.count("twin");
      say(name, "is taken for dead, and lives on");
      host.split(random.tail(10_000) + 1);
      this.#startLater(name);
      return;
    }
    faults.count("crash");
    host.crash({ isKept: random.chance(0.5) });
    // Somebody must be left who knows everything.
    const { liars } = this.#ports;
    const isLost =
      (liars.size === 0 || liars.has(name)) &&
      (this.#lost ?? name) === name &&
      random.chance(this.#settings.loseDisk) &&
      !this.#ports.isOnlyEndorser(name);
    if (isLost) {
      this.#lost = name;
      const isRestored = host.hasBackup && random.chance(0.5);
      faults.count(isRestored ? "backup-restored" : "disk-lost");
      if (isRestored) host.restoreDisk();
      else host.loseDisk();
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
    if (host === undefined || host.isUp || this.#ports.gone.has(name)) return;
    this.#ports.say(name, "starts");
    host.start();
  }

  #freeze(name: NodeName): void {
    const { random, faults, hosts } = this.#ports;
    faults.count("freeze");
    hosts.get(name)?.freeze(random.tail(this.#settings.plan.freezeMs) + 1);
  }

  #reorganise(): void {
    const { ledger, random } = this.#ports;
    const depth = random.between(1, DEPTH_MAX);
    this.replace(Math.min(ledger.head.number - this.#floor, depth));
  }

  /** Other blocks take the place of the last ones, if those need not stay. */
  replace(depth: number): void {
    const { random, faults, ledger, queue, say, trap } = this.#ports;
    if (depth <= 0 || depth > ledger.head.number - this.#floor) return;
    faults.count("reorganisation");
    say("chain", `replaces ${depth} blocks`);
    ledger.reorganise({
      depth,
      blocks: depth + 1,
      timestampMs: wallMsAt(queue.now),
      mayInclude: (transaction) => trap().mayInclude(transaction),
      isLost: () => random.chance(0.3),
    });
  }
}
