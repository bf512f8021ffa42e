import type { Submitter } from "../chain/submitter/submitter.ts";
import type { Indexer } from "../chain/indexer/indexer.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Assembling } from "./assembling.ts";
import type { CatchUp } from "./catch-up.ts";
import { troubleOf } from "./groups/committees.ts";
import type { Endorsing } from "./endorsing.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Membership } from "./groups/membership.ts";
import type { CoreEffect, NodeEffect } from "./node-effects.ts";
import type { Lesson } from "./node-writes.ts";
import type { NodeLoop, PostToGroup } from "./node-events.ts";
import type { PeerLink } from "./peer-link.ts";
import type { NodePorts } from "./ports.ts";
import type { Requests } from "./requests.ts";
import type { Roster } from "./roster.ts";
import type { SettledListeners } from "./settled-listeners.ts";
import type { Settling } from "./settling.ts";
import type { Showing } from "./showing.ts";
import type { Ticking } from "./ticking.ts";

type EffectOf<Type extends NodeEffect["type"]> = Extract<
  NodeEffect,
  { readonly type: Type }
>;

/** The parts of a node that act. */
export interface EffectPorts extends Pick<NodePorts, "onFact"> {
  readonly assembling: Pick<Assembling, "assemble">;
  readonly endorsing: Pick<Endorsing, "endorse">;
  readonly showing: Pick<Showing, "show">;
  readonly submitter: Pick<Submitter, "submit" | "onBlocks" | "onRevert">;
  readonly indexer: Pick<Indexer, "watch">;
  readonly send: PeerLink["send"];
  readonly loop: Pick<NodeLoop, "post">;
  readonly catchUp: Pick<
    CatchUp,
    "ask" | "askAtOnce" | "release" | "releaseAll" | "learnt"
  >;
  readonly membership: Pick<Membership, "offerToAdded">;
  readonly roster: Pick<Roster, "add" | "putAside" | "find">;
  readonly ticking: Pick<Ticking<GroupRunner>, "ticked">;
  readonly requests: Pick<Requests, "answer">;
  readonly settled: Pick<SettledListeners, "tell">;
  readonly post: PostToGroup;
  readonly fail: (error: unknown) => void;
}

/** Performs the effects of a batch, once its writes are durable. */
export class EffectRunner {
  readonly #ports: EffectPorts;
  #height: number;

  constructor(options: { readonly height: number }, ports: EffectPorts) {
    this.#height = options.height;
    this.#ports = ports;
  }

  /** The last block on the disk that was told. */
  get height(): number {
    return this.#height;
  }

  readonly perform = (effect: NodeEffect): void => {
    const ports = this.#ports;
    switch (effect.type) {
      case "core":
        this.#performCore(effect.runner, effect.effect);
        return;
      case "submit":
        ports.submitter.submit(effect.id);
        return;
      case "tell-fact":
        ports.onFact(effect.fact);
        return;
      case "tell-settled":
        this.#tellSettled(effect.settling);
        return;
      case "bundle-kept":
        effect.runner.seen.keep(effect.digest);
        return;
      case "ticked":
        ports.ticking.ticked();
        ports.roster.putAside();
        return;
      case "blocks-added":
        this.#addBlocks(effect);
        return;
      case "blocks-reverted":
        this.#revertBlocks(effect);
        return;
      case "ask-at-once":
        ports.catchUp.askAtOnce(effect.runner);
        return;
      case "release-checks":
        ports.catchUp.release(effect.runner);
        return;
      case "index-history":
        this.#indexHistory(effect.runner);
        return;
      case "history-caught-up":
        effect.runner.isCaughtUp = true;
        return;
      case "committee-changed":
        this.#tellCommittee(effect.runner, effect.stored);
        return;
      case "group-joined":
        ports.roster.add(effect.stored);
        ports.onFact({ type: "GroupJoined", group: effect.stored.address });
        return;
      case "states-learnt":
        this.#useStates(effect.lesson);
        return;
      case "answer":
        ports.requests.answer(effect.request, effect.refusal);
        return;
    }
  };

  #performCore(runner: GroupRunner, effect: CoreEffect): void {
    const { send, assembling, endorsing, showing } = this.#ports;
    switch (effect.type) {
      case "Send": {
        const { address: group } = runner.stored;
        const { to, message } = effect;
        send(to, { type: "message", group, message });
        return;
      }
      case "Assemble":
        assembling.assemble(runner, effect);
        return;
      case "Endorse":
        endorsing.endorse(runner, effect);
        return;
      case "ShowStep":
        showing.show(runner, effect);
        return;
    }
  }

  #tellSettled({ settlement }: Settling): void {
    const { onFact, settled } = this.#ports;
    if (settlement !== undefined) onFact({ type: "Settled", settlement });
    settled.tell();
  }

  #addBlocks({ blocks }: EffectOf<"blocks-added">): void {
    const { submitter, catchUp, onFact } = this.#ports;
    this.#height = blocks.at(-1)?.number ?? this.#height;
    submitter.onBlocks(blocks);
    onFact({ type: "BlockSeen", height: this.#height });
    catchUp.releaseAll();
  }

  #revertBlocks({ height }: EffectOf<"blocks-reverted">): void {
    const { submitter, catchUp, onFact } = this.#ports;
    this.#height = height;
    submitter.onRevert(height);
    onFact({ type: "BlocksReverted", height });
    catchUp.releaseAll();
  }

  /** From the first block of the group on, or where an earlier start of the node stopped. */
  #indexHistory(runner: GroupRunner): void {
    const { indexer, loop, fail } = this.#ports;
    const { address, historyThrough } = runner.stored;
    if (historyThrough === undefined) return;
    indexer
      .watch(address, historyThrough + 1)
      .then(() => {
        loop.post({ type: "history-complete", runner });
      })
      .catch(fail);
  }

  #tellCommittee(runner: GroupRunner, stored: StoredGroup): void {
    const { membership, catchUp, onFact } = this.#ports;
    const { address: group, epoch, committee, threshold } = stored;
    onFact({
      type: "CommitteeChanged",
      group,
      epoch,
      members: committee.length,
      threshold,
      isMember: runner.isMember,
      trouble: troubleOf(stored),
    });
    membership.offerToAdded(stored);
    catchUp.ask(runner);
  }

  /** Tries again what had to wait because this node did not know enough. */
  #useStates(lesson: Lesson): void {
    const { catchUp, roster, post } = this.#ports;
    if (!catchUp.learnt(lesson)) return;
    const runner = roster.find(lesson.group.group.address);
    if (runner !== undefined && runner.sequencer.sender.postponed.size > 0)
      post(runner, { type: "StatesLearnt" });
    catchUp.ask(lesson.group);
  }
}
