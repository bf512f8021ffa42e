import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

import type { GroupAddress } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { machineTimers } from "../../src/async/timers.ts";
import type { EndReason, RunFact, RunSummary } from "../../src/view/facts.ts";
import { Parts } from "../../src/host/parts.ts";
import { closeOrLeave, leaveMs } from "../shared/close-or-leave.ts";
import { type Control, createControl } from "../shared/control.ts";
import { countOnChain } from "./chain-count.ts";
import { flush, openIntents } from "./flush.ts";
import {
  parseRunOptions,
  type RunOptions,
  type RunRequest,
  type WorkloadRequest,
} from "./options.ts";
import { startNodes } from "./start.ts";
import { addFact, noTotals } from "./totals.ts";
import { Workload } from "./workload.ts";

/** What a run needs of the world. */
export interface RunPorts {
  readonly tell: (fact: RunFact) => void;
  /** Milliseconds of real time. */
  readonly now: () => number;
  /** Gets errors that users of nodes are not told. */
  readonly report: (error: unknown) => void;
  /** Calls back for every Ctrl-C. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** How often to tell what nodes are doing. */
  readonly statusEveryMs: number;
}

/** Runs nodes until their workload is done, or somebody ends it. Nothing is left running. */
export async function runNodes(
  hre: HardhatRuntimeEnvironment,
  options: RunOptions,
  ports: RunPorts,
): Promise<RunSummary> {
  const run = new Run(parseRunOptions(options), { ...ports, hre });
  return await run.execute();
}

/** Nodes that are up. */
interface Running {
  readonly cluster: Cluster;
  readonly client: ChainClient;
  readonly group: GroupAddress;
  /** Takes no more requests. */
  readonly closeRpc: () => Promise<void>;
}

/** What is counted for the summary, and since when. */
interface Count {
  readonly startedMs: number;
  readonly fromBlock: number;
}

/** A chain that does not answer now must not hide how the run ended. */
function nothingIfAway(error: unknown): null {
  if (error instanceof ChainError) return null;
  throw error;
}

class Run {
  readonly #request: RunRequest;
  readonly #ports: RunPorts & { readonly hre: HardhatRuntimeEnvironment };
  readonly #control: Control;
  readonly #parts = new Parts();
  #running: Running | undefined;
  #workload: Workload | undefined;
  #count: Count;
  #totals = noTotals;
  #height = 0;

  constructor(
    request: RunRequest,
    ports: RunPorts & { readonly hre: HardhatRuntimeEnvironment },
  ) {
    this.#request = request;
    this.#ports = ports;
    this.#control = createControl(ports.now);
    this.#count = { startedMs: ports.now(), fromBlock: 0 };
  }

  async execute(): Promise<RunSummary> {
    const { ended, interrupt, timeOut } = this.#control;
    const { timeoutMs } = this.#request;
    // Nothing else does while nodes wait for each other: their timers do not keep the process alive.
    const alive = setInterval(() => undefined, 1_000_000);
    await this.#parts.add(() => {
      clearInterval(alive);
    });
    await this.#parts.add(this.#ports.onInterrupt(interrupt));
    if (timeoutMs !== undefined)
      await this.#parts.add(machineTimers.after(timeoutMs, timeOut));
    try {
      const work = this.#work();
      // If it is not waited for, it fails because everything else is closed.
      work.catch(() => undefined);
      const done = work.then((): EndReason => "done");
      const reason = await Promise.race([done, ended]);
      return await this.#end(reason, work);
    } finally {
      await this.#close();
    }
  }

  /** Resolves when the workload is done; without one, never. */
  async #work(): Promise<void> {
    const running = await startNodes(this.#request, {
      ...this.#ports,
      tell: (fact) => {
        this.#tell(fact);
      },
      onFatal: this.#control.fail,
      parts: this.#parts,
    });
    this.#running = running;
    this.#tell({ type: "ready" });
    const tellStatus = (): void => {
      this.#tellStatus(running.cluster);
    };
    const timer = setInterval(tellStatus, this.#ports.statusEveryMs);
    await this.#parts.add(() => {
      clearInterval(timer);
    });
    await this.#restartCount(running);
    const { workload } = this.#request;
    if (workload === undefined) await new Promise<never>(() => undefined);
    else await this.#drive(running, workload);
  }

  async #drive(running: Running, request: WorkloadRequest): Promise<void> {
    const { group, cluster } = running;
    const workload = new Workload(request, {
      group,
      members: cluster.members,
      now: this.#ports.now,
      isOver: this.#control.hasEnded,
    });
    await workload.prepare();
    const { intents, accounts, rate = null } = request;
    this.#tell({ type: "workload", intents, accounts, rate });
    await this.#restartCount(running);
    this.#workload = workload;
    await workload.run();
  }

  async #restartCount({ client }: Running): Promise<void> {
    const told = await client
      .request("eth_blockNumber", [])
      .catch(nothingIfAway);
    // Nodes run without the chain, and so does what counts for them.
    const head = told === null ? this.#height : Number(told);
    this.#count = { startedMs: this.#ports.now(), fromBlock: head + 1 };
    this.#totals = { ...noTotals, coordinator: this.#totals.coordinator };
  }

  async #end(reason: EndReason, work: Promise<void>): Promise<RunSummary> {
    const { left, hasLeft } = this.#control;
    const running = this.#running;
    const open = openIntents(running?.cluster);
    this.#tell({ type: "stopping", reason, open });
    if (running !== undefined && !hasLeft()) {
      const hasWork = this.#workload !== undefined && reason !== "done";
      await Promise.race([
        flush(running, hasWork ? work : undefined),
        this.#control.ended.then(async () => {
          await left;
        }),
      ]);
    }
    const summary = await this.#sumUp(reason);
    if (running !== undefined) this.#tellStatus(running.cluster);
    await this.#close();
    this.#tell(summary);
    return summary;
  }

  async #close(): Promise<void> {
    await closeOrLeave(this.#parts, this.#control, leaveMs);
  }

  async #sumUp(reason: EndReason): Promise<RunSummary> {
    const { startedMs, fromBlock } = this.#count;
    const elapsedMs = Math.round(this.#ports.now() - startedMs);
    const running = this.#running;
    const counts = this.#workload?.counts;
    const { confirmed, reverted } = counts ?? this.#totals;
    const open =
      counts === undefined
        ? openIntents(running?.cluster)
        : counts.sent - confirmed - reverted;
    const hasLeft = this.#control.hasLeft();
    const ledger =
      running === undefined || hasLeft
        ? null
        : await countOnChain(running.client, {
            group: running.group,
            fromBlock,
            intents: confirmed,
          }).catch(nothingIfAway);
    const { bundles, rotations } = this.#totals;
    return {
      type: "summary",
      reason: reason === "interrupted" && hasLeft ? "left" : reason,
      workload: this.#request.workload?.intents ?? null,
      intents: { confirmed, reverted, open },
      ledger,
      bundles,
      rotations,
      elapsedMs,
      intentsPerSecond:
        elapsedMs > 0 ? Math.round((10_000 * confirmed) / elapsedMs) / 10 : 0,
    };
  }

  #tellStatus(cluster: Cluster): void {
    const up = cluster.members.filter(({ isUp }) => isUp);
    this.#tell({ type: "status", nodes: up.map(({ node }) => node.status()) });
  }

  /** Every node sees every block; one of them is news. */
  #tell(fact: RunFact): void {
    if (fact.type === "block") {
      if (fact.height <= this.#height) return;
      this.#height = fact.height;
    } else if (fact.type === "blocks-reverted") this.#height = fact.height;
    this.#totals = addFact(this.#totals, fact);
    this.#ports.tell(fact);
  }
}
