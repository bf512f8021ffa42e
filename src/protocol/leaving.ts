import type { NodeName } from "./ids.ts";
import type { MessageOf } from "./messages.ts";
import {
  candidates,
  ignore,
  isLeaving,
  isSilent,
  patienceTicks,
  raise,
  send,
  type Sequencer,
  type Turn,
} from "./turn.ts";

// A node that is drained, because its operator is about to stop it, coordinates nothing that is new: it says so to the others, hands
// over, and passes itself over. It is believed, as it harms nobody but itself; but nobody moves the role around by leaving and coming
// back again and again.

/** The operator of this node wants it to leave the role to others, or to take part again. */
export function drain(turn: Turn, isToLeave: boolean): void {
  const { leaving, config, tick } = turn.node;
  if (isToLeave === isLeaving(turn.node, config.self)) return;
  if (isToLeave)
    leaving.set(config.self, { sinceTick: tick, untilTick: Infinity });
  else {
    leaving.delete(config.self);
    sayLeaving(turn, { isOver: true });
  }
  raise(turn, "CoordinatorKnown");
}

/** Says that this node leaves, or is back. Groups at rest hear that it leaves when somebody turns to this node. */
export function sayLeaving(
  turn: Turn,
  {
    to = turn.node.config.members,
    isOver = false,
  }: { readonly to?: readonly NodeName[]; readonly isOver?: boolean } = {},
): void {
  for (const member of to)
    if (member !== turn.node.config.self)
      send(turn, member, { type: "Leaving", isOver });
}

/** Another member does not coordinate for now, or does again. */
export function receiveLeaving(
  turn: Turn,
  from: NodeName,
  { isOver }: MessageOf<"Leaving">,
): void {
  const { leaving, config, tick } = turn.node;
  const patience = patienceTicks(config);
  const known = leaving.get(from);
  const isLeft = isLeaving(turn.node, from);
  if (
    isOver
      ? !isLeft
      : !isLeft && tick < (known?.sinceTick ?? -Infinity) + patience
  ) {
    ignore(turn, "leaving");
    return;
  }
  leaving.set(from, {
    sinceTick: isLeft ? (known?.sinceTick ?? tick) : tick,
    untilTick: isOver ? tick : tick + patience,
  });
  raise(turn, "CoordinatorKnown");
}

/** Whether this node coordinates nothing that it need not. A node that coordinates only its own intents has nobody to leave them to. */
export function isDraining(node: Sequencer): boolean {
  return node.config.mode !== "local" && isLeaving(node, node.config.self);
}

/** The same, and somebody else is there. */
export function canLeave(node: Sequencer): boolean {
  const { self } = node.config;
  return (
    isDraining(node) &&
    candidates(node).some((name) => name !== self && !isSilent(node, name))
  );
}
