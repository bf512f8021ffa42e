import type { Effect } from "../../protocol/effects.ts";
import type { NodeName } from "../../protocol/ids.ts";
import { checkMemory } from "../inspection.ts";
import type { Node, SimulatedNode } from "../node.ts";
import { describeCommit } from "./records.ts";
import type { Story } from "./story.ts";

/** What is worth telling about a node's memory. */
interface Glimpse {
  readonly coordinator: string;
  readonly waitForRange: number | undefined;
  readonly silent: readonly NodeName[];
}

/** Tells the story of what nodes do. */
export class Observer {
  readonly #story: Story;
  readonly #shown = new Map<NodeName, Glimpse>();

  constructor(story: Story) {
    this.#story = story;
  }

  started({ name, boot }: SimulatedNode): void {
    this.#shown.delete(name);
    if (boot > 1) this.#story.tell(name, "starts again");
  }

  commit({ name, disk }: SimulatedNode, effects: readonly Effect[]): void {
    for (const line of describeCommit(effects, disk, this.#story.names))
      this.#story.tell(name, line);
  }

  /** Something that a node does. Messages are told when they arrive. */
  effect(name: NodeName, effect: Effect): void {
    const { names } = this.#story;
    switch (effect.type) {
      case "Send":
        if (effect.message.type !== "Heartbeat") this.#story.flush();
        return;
      case "Submit": {
        const { digest } = effect.dispatch.bundle;
        this.#story.tell(name, `submits ${names.digest(digest)}`);
        return;
      }
      case "Accepted":
        this.#story.tell(name, `accepts ${names.of(effect.id)}`);
        return;
      case "Refused": {
        const reason = names.inText(effect.reason);
        this.#story.tell(name, `refuses ${names.of(effect.id)}: ${reason}`);
        return;
      }
      case "Settled": {
        const { receipt } = effect;
        const detail =
          receipt.type === "Confirmed"
            ? `block=${receipt.block}`
            : `"${names.inText(receipt.reason)}"`;
        this.#story.tell(
          name,
          `receipt ${names.of(receipt.id)} ${receipt.type} ${detail}`,
        );
        return;
      }
      case "PreparedForUser": {
        const { digest, validUntil } = effect.bundle;
        this.#story.tell(
          name,
          `gives ${names.digest(digest)} ${names.of(effect.id)} to the user until=${validUntil}`,
        );
        return;
      }
      case "Assemble":
      case "ShowStep":
      case "Endorse":
      case "Save":
      case "Erase":
        return;
    }
  }

  /** Says what changed in a node's memory, and checks it. */
  changes({ name, sequencer }: Node): void {
    if (sequencer === undefined) return;
    checkMemory(sequencer);
    const before = this.#shown.get(name);
    const now: Glimpse = {
      coordinator: sequencer.coordinator.state,
      waitForRange: sequencer.sender.waitForRange,
      silent: [...sequencer.silent.keys()],
    };
    this.#shown.set(name, now);
    for (const silent of now.silent)
      if (before?.silent.includes(silent) === false)
        this.#story.tell(name, `counts ${silent} as silent`);
    const { waitForRange } = now;
    if (waitForRange !== undefined && waitForRange !== before?.waitForRange)
      this.#story.tell(name, `waits for range ${waitForRange}`);
    const from = before?.coordinator ?? "Idle";
    if (from !== now.coordinator)
      this.#story.tell(name, `coordinator ${from} → ${now.coordinator}`);
  }
}
