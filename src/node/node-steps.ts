import type { BlockFeed } from "./blocks.ts";
import type { CatchUp } from "./catch-up.ts";
import { acceptGroup } from "./groups/founding.ts";
import { addEffects, type NodeDraft } from "./group-effects.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Intake } from "./intake.ts";
import type { GroupEvent, NodeEvent } from "./node-events.ts";
import type { PeerQuotas } from "./peer-quotas.ts";
import type { Roster } from "./roster.ts";
import type { Ticking } from "./ticking.ts";

/** The parts of a node that events change. */
export interface StepPorts {
  readonly roster: Pick<Roster, "get" | "has" | "drain">;
  readonly quotas: Pick<PeerQuotas, "release">;
  readonly ticking: Pick<Ticking<GroupRunner>, "tick" | "delay">;
  readonly feed: Pick<
    BlockFeed,
    "add" | "addHistory" | "completeHistory" | "revert"
  >;
  readonly intake: Pick<Intake, "step">;
  readonly catchUp: Pick<CatchUp, "keep">;
}

/** Deals with the events of a node, one after the other, and collects what follows from them. */
export class NodeSteps {
  readonly #ports: StepPorts;

  constructor(ports: StepPorts) {
    this.#ports = ports;
  }

  readonly step = (event: NodeEvent, draft: NodeDraft): void => {
    const { feed, intake, ticking, catchUp, quotas } = this.#ports;
    switch (event.type) {
      case "group":
        this.#handle(event, draft);
        return;
      case "group-loaded":
        this.#begin(event.runner, draft);
        return;
      case "group-accepted":
        acceptGroup(draft, event, this.#ports);
        return;
      case "drain":
        this.#drain(event.isDraining, draft);
        return;
      case "tick":
        ticking.tick(draft);
        return;
      case "delayed":
        ticking.delay(draft);
        return;
      case "blocks":
        feed.add(draft, event);
        return;
      case "history":
        feed.addHistory(draft, event);
        return;
      case "history-complete":
        feed.completeHistory(draft, event.runner);
        return;
      case "chain-reverted":
        feed.revert(draft, event);
        return;
      case "submitted":
        intake.step(draft, event);
        return;
      case "states-told":
        if (event.charge !== undefined) quotas.release(event.charge);
        catchUp.keep(draft, event);
        return;
      case "peer-started": {
        const { peer, boot } = event;
        draft.write({ type: "save-peer", peer, boot });
        return;
      }
    }
  };

  /** The group may have been put aside since the event was posted. */
  #handle({ group, event, charge }: GroupEvent, draft: NodeDraft): void {
    if (charge !== undefined) this.#ports.quotas.release(charge);
    const runner = this.#ports.roster.get(group);
    addEffects(draft, runner, runner.handle(event));
  }

  /** Groups that are loaded later know it from the roster. */
  #drain(isDraining: boolean, draft: NodeDraft): void {
    for (const runner of this.#ports.roster.drain(isDraining))
      addEffects(
        draft,
        runner,
        runner.handle({ type: "DrainChanged", isDraining }),
      );
  }

  #begin(runner: GroupRunner, draft: NodeDraft): void {
    addEffects(draft, runner, runner.firstEffects);
    if (runner.stored.historyThrough !== undefined)
      draft.afterCommit({ type: "index-history", runner });
  }
}
