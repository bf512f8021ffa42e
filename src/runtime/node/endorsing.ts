import { parseDigest as parseLedgerDigest } from "../../ledger/index.ts";
import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { Digest } from "../../protocol/ids.ts";
import { findFault } from "../domains/checker.ts";
import { StepSignatures } from "../keys/step-signatures.ts";
import { Backoff } from "../ledger/backoff.ts";
import { withoutSecrets } from "../ledger/client/secrets.ts";
import type { CatchUp } from "./catch-up.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { NodePorts } from "./ports.ts";

type Endorse = Extract<Effect, { readonly type: "Endorse" }>;
type Outcome = Extract<Event, { readonly type: "EndorsementDone" }>["outcome"];

interface EndorsingPorts extends Pick<
  NodePorts,
  "directory" | "endorser" | "timers" | "onFact"
> {
  readonly catchUp: CatchUp;
  readonly tell: (runner: GroupRunner, event: Event) => void;
  /** Something is wrong that does not mend itself. */
  readonly fail: (error: unknown) => void;
}

/** Checks bundles and signs them. */
export class Endorsing {
  readonly #ports: EndorsingPorts;
  readonly #signatures = new WeakMap<GroupRunner, StepSignatures>();
  #hasTrouble = false;
  #isStopped = false;

  constructor(ports: EndorsingPorts) {
    this.#ports = ports;
  }

  stop(): void {
    this.#isStopped = true;
  }

  endorse(runner: GroupRunner, effect: Endorse): void {
    const { catchUp, fail } = this.#ports;
    runner.seen.add(effect.coordinator, effect.bundle);
    catchUp.whenComplete(runner, () => {
      this.#answer(runner, effect).catch(fail);
    });
  }

  async #answer(runner: GroupRunner, { bundle, view }: Endorse): Promise<void> {
    const { tell } = this.#ports;
    const { group, book, stored } = runner;
    const signatures = this.#signaturesIn(runner);
    const { digest } = bundle;
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
        isSignedBy: async (sender, hash, signature) =>
          group.members.includes(sender) &&
          (await signatures.isSigned(sender, hash, signature)),
      },
    );
    const outcome: Outcome | undefined =
      fault === undefined
        ? await this.#sign(runner, digest)
        : { type: "refused", ...fault };
    if (outcome !== undefined)
      tell(runner, { type: "EndorsementDone", digest, outcome });
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
