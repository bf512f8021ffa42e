import type { Event } from "../../protocol/events.ts";
import type { GroupAddress } from "../../protocol/ids.ts";
import { findRefusal } from "../../protocol/sequencer.ts";
import type { PublicSubmission } from "../ledger/submitter/ports.ts";
import type { Submitter } from "../ledger/submitter/submitter.ts";
import {
  type NewIntent,
  type NewTransaction,
  type NewWork,
  NodeRefusal,
} from "../service.ts";
import type { Deeds } from "./deeds.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Pulse } from "./pulse.ts";
import type { Turns } from "./turns.ts";

type Submitted = Extract<Event, { readonly type: "IntentSubmitted" }>;

/** Users' transactions of the base ledger that may be open: some hours of blocks. */
const OPEN_MAX = 10_000;

interface IntakePorts {
  readonly turns: Pick<Turns, "add">;
  readonly pulse: Pick<Pulse<GroupRunner>, "nextRank">;
  readonly deeds: Pick<Deeds, "collect">;
  readonly submitter: Pick<
    Submitter,
    "publicOpen" | "reservePublic" | "submit"
  >;
  /** Throws a `NodeRefusal` if this node takes no part in the group. */
  readonly runner: (group: GroupAddress) => GroupRunner;
}

/** Takes what users want: all that comes together, in one commit, or nothing of it. */
export class Intake {
  readonly #ports: IntakePorts;

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  /** Resolves when it is on disk, together with what `record` writes. */
  async take(
    { intents, transactions }: NewWork,
    record: () => void,
  ): Promise<void> {
    const { turns, pulse, deeds, submitter, runner } = this.#ports;
    for (const { group } of intents) runner(group);
    await new Promise<void>((resolve, reject) => {
      turns.add({
        // Behind what is begun: however much users hand in, that goes on.
        rank: pulse.nextRank(),
        onDropped: () => {
          reject(
            new NodeRefusal(
              "The node stopped before it could say whether this is taken. Once it runs again, look for it before you send it again.",
            ),
          );
        },
        run: (turn) => {
          const wanted = this.#eventsOf(intents);
          const reason = findReason(wanted) ?? this.#shortage(transactions);
          if (reason !== undefined) {
            reject(new NodeRefusal(`${reason}.`));
            return;
          }
          turn.writes.push(record);
          for (const [one, events] of wanted)
            for (const event of events)
              deeds.collect(turn, one, one.handle(event));
          for (const transaction of transactions)
            turn.writes.push(() => {
              submitter.reservePublic(submissionOf(transaction));
            });
          turn.deeds.push(() => {
            for (const { id } of transactions) submitter.submit(id);
            resolve();
          });
        },
      });
    });
  }

  /** Why there is no room for more transactions. */
  #shortage({ length }: readonly NewTransaction[]): string | undefined {
    return length > 0 && this.#ports.submitter.publicOpen + length > OPEN_MAX
      ? `${OPEN_MAX} transactions of the base ledger are open`
      : undefined;
  }

  /** What each group is told. */
  #eventsOf(
    intents: readonly NewIntent[],
  ): ReadonlyMap<GroupRunner, readonly Submitted[]> {
    const events = new Map<GroupRunner, Submitted[]>();
    for (const { group, ...intent } of intents) {
      const runner = this.#ports.runner(group);
      const dependsOn = [...intent.dependsOn, ...runner.awaited(intent.id)];
      const event: Submitted = {
        type: "IntentSubmitted",
        intent: { ...intent, dependsOn },
        fulfilled: dependsOn.filter((id) => runner.isFulfilled(id)),
        reverted: dependsOn.filter(
          (id) => runner.ended(id)?.receipt?.type === "Reverted",
        ),
      };
      events.set(runner, [...(events.get(runner) ?? []), event]);
    }
    return events;
  }
}

function findReason(
  wanted: ReadonlyMap<GroupRunner, readonly Submitted[]>,
): string | undefined {
  for (const [{ sequencer }, events] of wanted) {
    const reason = findRefusal(sequencer, events);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function submissionOf({
  id: digest,
  signer,
  maxFee,
  tip,
  ...call
}: NewTransaction): PublicSubmission {
  const { address: payer, userName } = signer;
  return { ...call, digest, payer, userName, wanted: { maxFee, tip } };
}
