import { contradictionsIn } from "../protocol/memory.ts";
import { isResting } from "../protocol/sender/transaction/guards.ts";
import { isAtRest, type Sequencer } from "../protocol/sequencer.ts";
import { graceTicks } from "../protocol/turn.ts";
import { Violation } from "./violation.ts";

/** S26 and the like: what a node's memory must never contradict. */
export function checkMemory(sequencer: Sequencer): void {
  for (const { property, what } of contradictionsIn(sequencer))
    throw new Violation(property, `${sequencer.config.self}: ${what}`);
}

/** What a quiet node must not keep, by kind. */
export function leftoversOf(sequencer: Sequencer): string[] {
  const { coordinator, sender, endorser, height } = sequencer;
  // What a domain never answers, and what a liar's height puts off, goes when the bundle expires.
  const isOver = ({ validUntil }: { readonly validUntil: number }): boolean =>
    validUntil < height;
  const open = [...sender.transactions.values()].filter(
    (transaction) => !isResting(transaction),
  );
  const counts = {
    "coordinator transactions": coordinator.transactions.size,
    "coordinator pools": [...coordinator.pools.values()].filter(
      ({ entries }) => entries.length > 0,
    ).length,
    "silent senders": coordinator.silences.size,
    assemblies: coordinator.assemblies.size,
    "assembled steps": coordinator.assembled.size,
    bundles: coordinator.bundles.length,
    "steps to prepare": coordinator.toPrepare.size,
    preparations: coordinator.preparations.length,
    dispatches: coordinator.dispatched.size,
    "speculative states": coordinator.created.size,
    locks: coordinator.spent.size,
    "coordinator dependants": coordinator.dependants.size,
    "flush points": coordinator.flush.size + coordinator.flushDigests.size,
    handovers: coordinator.handovers.size,
    "sender transactions": open.length,
    "pending delegations": sender.delegation === undefined ? 0 : 1,
    "pending assemblies": sender.assembly?.isStarted === true ? 1 : 0,
    "outgoing ids": sender.outgoing.entries.length,
    "delayed ids": sender.delayed.entries.length,
    "postponed intents": sender.postponed.size,
    "sender dependants": sender.dependants.size,
    "endorsement checks": [...endorser.checking.values()].filter(isOver).length,
    "deferred endorsements": [...endorser.deferred.values()]
      .flat()
      .filter(({ bundle }) => isOver(bundle)).length,
  };
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  const leftovers = kinds.map(([kind, count]) => `${count} ${kind}`);
  if (coordinator.state !== "Idle" && coordinator.state !== "Observing")
    leftovers.push(`coordinator is ${coordinator.state}`);
  const isWaiting =
    sender.transactions.size > 0 ||
    sender.assembly !== undefined ||
    endorser.checking.size + endorser.deferred.size > 0;
  if (!isWaiting && !isAtRest(sequencer) && !hasHeardSomebody(sequencer))
    leftovers.push("its clock going");
  return leftovers;
}

/** A heartbeat may come late enough that a node still waits for the next one. */
function hasHeardSomebody({ beats, config, tick }: Sequencer): boolean {
  const patience = graceTicks(config) + config.heartbeatTicks;
  return [...beats.values()].some((beat) => tick - beat.tick <= patience);
}
