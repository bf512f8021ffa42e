import {
  parseDigest as parseLedgerDigest,
  type StateId as LedgerId,
} from "../ledger/index.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { Digest, IntentId, StepHash } from "../protocol/ids.ts";
import { netOf } from "../protocol/net.ts";
import type { Bundle } from "../protocol/transition.ts";
import { findFault } from "../domains/checker.ts";
import { type Deadline, deadlineAfter } from "../domains/deadline.ts";
import type { OnDomainError } from "../domains/guarded.ts";
import { StepSignatures } from "../keys/step-signatures.ts";
import { Backoff } from "../chain/backoff.ts";
import { withoutSecrets } from "../chain/client/secrets.ts";
import type { StateBook } from "../domains/states/book.ts";
import { ledgerIdOf } from "../domains/states/place.ts";
import type { CatchUp } from "./catch-up.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { PostToGroup } from "./node-events.ts";
import { packedBundle } from "./packed-bundles.ts";
import type { NodePorts } from "./ports.ts";

type Endorse = Extract<Effect, { readonly type: "Endorse" }>;
type Outcome = Extract<Event, { readonly type: "EndorsementDone" }>["outcome"];

interface EndorsingPorts extends Pick<
  NodePorts,
  "directory" | "endorser" | "timers" | "onFact"
> {
  readonly catchUp: CatchUp;
  readonly onDomainError: OnDomainError;
  readonly post: PostToGroup;
  /** Something is wrong that does not mend itself. */
  readonly fail: (error: unknown) => void;
}

/** The time for a check, with that for missing content, in times of the latter: the coordinator waits for twice that. */
const ANSWER_SHARE = 1.8;

/** Senders of steps that are asked what the states mean that they use. */
const USERS_ASKED_MAX = 3;

/** Checks bundles and signs them. */
export class Endorsing {
  readonly #waitMs: number;
  readonly #ports: EndorsingPorts;
  readonly #signatures = new WeakMap<GroupRunner, StepSignatures>();
  #hasTrouble = false;
  #isStopped = false;

  constructor(
    options: {
      /** How long a check waits for the content of a state. */
      readonly waitMs: number;
    },
    ports: EndorsingPorts,
  ) {
    this.#waitMs = options.waitMs;
    this.#ports = ports;
  }

  stop(): void {
    this.#isStopped = true;
  }

  endorse(runner: GroupRunner, effect: Endorse): void {
    const { catchUp, fail } = this.#ports;
    const { coordinator, bundle } = effect;
    runner.seen.add(coordinator, bundle);
    const unknown = unknownIn(runner.book, effect);
    const users = bundle.steps.flatMap(({ intentId, sender }) =>
      unknown.has(intentId) ? [sender] : [],
    );
    const states = new Set([...unknown.values()].flat());
    const deadline = deadlineAfter(
      { ms: ANSWER_SHARE * this.#waitMs, count: bundle.steps.length },
      this.#ports.timers,
    );
    catchUp.whenKnown(
      runner,
      {
        states,
        coordinator,
        users: users.slice(0, USERS_ASKED_MAX),
        waitMs: this.#waitMs,
      },
      () => {
        const unclear = [...unknownIn(runner.book, effect).keys()];
        if (unclear.length === 0)
          this.#answer(runner, effect, deadline)
            .catch(fail)
            .finally(deadline.end);
        else {
          deadline.end();
          this.#refuse(runner, effect, unclear);
        }
      },
    );
  }

  /** Nobody has told what states mean that these steps use. */
  #refuse(
    runner: GroupRunner,
    { bundle: { digest } }: Endorse,
    unclear: readonly IntentId[],
  ): void {
    const detail = "the content of a state that it uses is missing here";
    const faults = unclear.map((intentId) => ({ intentId, detail }));
    const outcome: Outcome = { type: "refused", detail, faults };
    this.#ports.post(runner, { type: "EndorsementDone", digest, outcome });
  }

  async #answer(
    runner: GroupRunner,
    { bundle, view }: Endorse,
    deadline: Deadline,
  ): Promise<void> {
    const { post, onDomainError } = this.#ports;
    const { group, book, stored } = runner;
    const { digest } = bundle;
    const signed = await this.#signedIn(runner, bundle);
    const fulfilled = runner.fulfilledAmong(
      bundle.steps.map(({ intentId }) => intentId),
    );
    const fault = await findFault(
      { bundle, view },
      {
        domain: group.domain,
        group,
        book,
        hashing: runner.sequencer.config.hashing,
        epoch: stored.epoch,
        allowsCalls: stored.genesis.externalCalls,
        membersCount: stored.committee.length,
        isFulfilled: (id) => fulfilled.has(id),
        deadline,
        onError: (method, error) => {
          onDomainError(group.domain.name, method, error);
        },
        isSignedBy: (_, hash) => signed.has(hash),
      },
    );
    const outcome: Outcome | undefined =
      fault === undefined
        ? await this.#sign(runner, digest)
        : { type: "refused", ...fault };
    if (outcome !== undefined)
      post(runner, { type: "EndorsementDone", digest, outcome });
  }

  /** The hashes of those steps of a bundle that members of the group signed. */
  async #signedIn(
    runner: GroupRunner,
    bundle: Bundle,
  ): Promise<ReadonlySet<StepHash>> {
    const { group, sequencer } = runner;
    const { stepHash } = sequencer.config.hashing;
    const { steps } = packedBundle(bundle);
    const signed = bundle.steps.flatMap((step, at) => {
      const { sender, signature } = steps[at] ?? step;
      const isMember = group.members.includes(sender);
      return isMember ? [{ sender, signature, hash: stepHash(step) }] : [];
    });
    return await this.#signaturesIn(runner).signedAmong(signed);
  }

  #signaturesIn(runner: GroupRunner): StepSignatures {
    const known = this.#signatures.get(runner);
    const signatures = known ?? new StepSignatures(this.#ports.directory);
    if (known === undefined) this.#signatures.set(runner, signatures);
    return signatures;
  }

  /** A key that cannot be used is tried again for as long as somebody waits for the signature. */
  async #sign(
    { sequencer }: GroupRunner,
    digest: Digest,
  ): Promise<Outcome | undefined> {
    const { endorser, timers } = this.#ports;
    const backoff = new Backoff({ firstMs: 50, lastMs: 5_000 });
    while (!this.#isStopped && sequencer.endorser.checking.has(digest))
      try {
        const signature = await endorser.sign(parseLedgerDigest(digest));
        this.#report(undefined);
        return { type: "endorsed", signature };
      } catch (error) {
        const reason = error instanceof Error ? error.message : "unknown";
        this.#report(withoutSecrets(reason));
        await new Promise<void>((resolve) => {
          timers.after(backoff.next(), resolve);
        });
      }
    return undefined;
  }

  #report(reason: string | undefined): void {
    if (this.#isStopped || (reason === undefined && !this.#hasTrouble)) return;
    this.#hasTrouble = reason !== undefined;
    this.#ports.onFact({ type: "EndorserTrouble", reason });
  }
}

/** States on the ledger that steps of a bundle use, and whose content this node does not have. By intent, in order. */
function unknownIn(
  book: StateBook,
  { bundle, view }: Endorse,
): ReadonlyMap<IntentId, readonly LedgerId[]> {
  const unknown = new Map<IntentId, LedgerId[]>();
  if (book.missing.size === 0) return unknown;
  const told = new Set(view.created.map(({ id }) => id));
  const net = netOf(bundle.steps);
  const fromOutside = new Set([...net.inputs, ...net.reads]);
  const places = new Map(bundle.places.map(({ id, place }) => [id, place]));
  for (const { intentId, inputs, reads } of bundle.steps)
    for (const id of [...inputs, ...reads]) {
      const place = fromOutside.has(id) ? places.get(id) : undefined;
      if (place === undefined || told.has(id)) continue;
      const ledgerId = ledgerIdOf(id, place);
      if (ledgerId === undefined || !book.missing.has(ledgerId)) continue;
      unknown.set(intentId, [...(unknown.get(intentId) ?? []), ledgerId]);
    }
  return unknown;
}
