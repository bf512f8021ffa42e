import type { Effect } from "../protocol/effects.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { AssembleOutcome } from "../protocol/messages.ts";
import { createRecent, recall, remember } from "../protocol/recent.ts";
import { assemble } from "../domains/assembler.ts";
import { deadlineAfter } from "../domains/deadline.ts";
import type { OnDomainError } from "../domains/guarded.ts";
import { signTogether } from "../keys/step-signatures.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { PostToGroup } from "./node-events.ts";
import type { NodePorts } from "./ports.ts";

/** Silences of the domain about one intent that count as one error. */
const SILENCES_COUNTED = 3;
/** Intents whose silences are counted. */
const SILENT_INTENTS_MAX = 1_000;

type Assemble = Extract<Effect, { readonly type: "Assemble" }>;

interface AssemblingPorts extends Pick<
  NodePorts,
  "sign" | "newSalt" | "timers"
> {
  readonly post: PostToGroup;
  readonly onDomainError: OnDomainError;
  /** Something is wrong that does not mend itself. */
  readonly fail: (error: unknown) => void;
}

/** Asks domains to assemble this node's intents, and tells the core what came of it. */
export class Assembling {
  readonly #self: NodeName;
  readonly #assembleMs: number;
  readonly #ports: AssemblingPorts;
  /** How often in a row the domain was silent about an intent. */
  readonly #silences = createRecent<IntentId, number>(SILENT_INTENTS_MAX);

  constructor(
    options: {
      readonly self: NodeName;
      /** How long the domain may take to assemble what is asked for at once. */
      readonly assembleMs: number;
    },
    ports: AssemblingPorts,
  ) {
    this.#self = options.self;
    this.#assembleMs = options.assembleMs;
    this.#ports = ports;
  }

  assemble(runner: GroupRunner, effect: Assemble): void {
    const { intents, view, validUntil } = effect;
    const { sign, newSalt, timers, onDomainError, post, fail } = this.#ports;
    const { group, book } = runner;
    const wasComplete = book.missing.size === 0;
    assemble(
      { sender: this.#self, intents, view, validUntil },
      {
        domain: group.domain,
        group,
        book,
        hashing: runner.sequencer.config.hashing,
        signSteps: (hashes) => signTogether(hashes, sign),
        newSalt,
        deadline: deadlineAfter(
          { ms: this.#assembleMs, count: intents.length },
          timers,
        ),
        isPatient: (id) => this.#isPatient(id),
        onError: (method, error) => {
          onDomainError(group.domain.name, method, error);
        },
      },
    )
      .then((all) => {
        const isComplete = book.missing.size === 0;
        // What was missing has come meanwhile.
        if (!wasComplete && isComplete && all.some(isEnding)) {
          this.assemble(runner, effect);
          return;
        }
        const isFinal = wasComplete && isComplete;
        const outcomes = isFinal ? all : all.map(withoutEnding);
        post(runner, { type: "AssemblyDone", key: effect.key, outcomes });
      })
      .catch(fail);
  }

  /** A domain with much to do is slow now and then: only every third silence counts. */
  #isPatient(id: IntentId): boolean {
    const count = (recall(this.#silences, id) ?? 0) + 1;
    remember(this.#silences, id, count);
    return count % SILENCES_COUNTED !== 0;
  }
}

/** With states that nobody has told this node about, the same intent may be possible: it is tried again. */
function withoutEnding(outcome: AssembleOutcome): AssembleOutcome {
  return isEnding(outcome) ? { ...outcome, type: "postponed" } : outcome;
}

function isEnding(
  outcome: AssembleOutcome,
): outcome is Extract<
  AssembleOutcome,
  { readonly type: "reverted" | "parked" | "error" }
> {
  return (
    outcome.type === "reverted" ||
    outcome.type === "parked" ||
    outcome.type === "error"
  );
}
