import type { Event } from "../protocol/events.ts";
import { findRefusal } from "../protocol/sequencer.ts";
import type { PublicSubmission } from "../chain/submitter/ports.ts";
import type { Submitter } from "../chain/submitter/submitter.ts";
import {
  type NewIntent,
  type NewTransaction,
  type NewWork,
  NodeRefusal,
} from "./service.ts";
import { addEffects, type NodeDraft } from "./group-effects.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type { NodeLoop, WorkSubmitted } from "./node-events.ts";
import { NodeStopped, type Requests } from "./requests.ts";
import type { Roster } from "./roster.ts";

type Submitted = Extract<Event, { readonly type: "IntentSubmitted" }>;

/** Users' transactions of the base ledger that may be open: some hours of blocks. */
const OPEN_MAX = 10_000;

interface IntakePorts {
  readonly loop: Pick<NodeLoop, "post">;
  readonly requests: Pick<Requests, "ask">;
  readonly schedule: Pick<GroupSchedule<GroupRunner>, "nextRank">;
  readonly submitter: Pick<Submitter, "publicOpen">;
  readonly roster: Pick<Roster, "get">;
}

/** Takes what users want: all that comes together, in one commit, or nothing of it. */
export class Intake {
  readonly #ports: IntakePorts;

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  /** Resolves when it is on disk, together with what `record` writes. */
  async take(work: NewWork, record: () => void): Promise<void> {
    const { loop, requests, schedule, roster } = this.#ports;
    for (const { group } of work.intents) roster.get(group);
    // Behind what is begun: however much users hand in, that goes on.
    const rank = schedule.nextRank();
    try {
      await requests.ask((request) => {
        loop.post({ type: "submitted", work, record, request }, rank);
      });
    } catch (error) {
      if (!(error instanceof NodeStopped)) throw error;
      throw new NodeRefusal(
        "The node stopped before it could say whether this is taken. Once it runs again, look for it before you send it again.",
      );
    }
  }

  /** Collects the writes of what users want, if it is taken. */
  step(draft: NodeDraft, { work, record, request }: WorkSubmitted): void {
    const { intents, transactions } = work;
    const wanted = this.#eventsOf(intents);
    const reason = findReason(wanted) ?? this.#shortage(transactions);
    const refusal = reason && `${reason}.`;
    if (refusal === undefined) {
      draft.write({ type: "record-work", record });
      for (const [runner, events] of wanted)
        for (const event of events)
          addEffects(draft, runner, runner.handle(event));
      for (const transaction of transactions) {
        const submission = submissionOf(transaction);
        draft.write({ type: "reserve-public", submission });
        draft.afterCommit({ type: "submit", id: transaction.id });
      }
    }
    draft.afterCommit({ type: "answer", request, refusal });
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
      const runner = this.#ports.roster.get(group);
      const dependsOn = [...intent.dependsOn, ...runner.awaited(intent.id)];
      const fulfilled = runner.fulfilledAmong(dependsOn);
      const event: Submitted = {
        type: "IntentSubmitted",
        intent: { ...intent, dependsOn },
        fulfilled: dependsOn.filter((id) => fulfilled.has(id)),
        reverted: dependsOn.filter(
          (id) => !fulfilled.has(id) && runner.hasReverted(id),
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
