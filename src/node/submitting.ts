import type { Digest } from "../protocol/ids.ts";
import { GWEI, submitterDefaults } from "../chain/submitter/ports.ts";
import { Submitter } from "../chain/submitter/submitter.ts";
import { ChainMoved } from "../chain/worker.ts";
import { ChainError } from "../chain/ports.ts";
import { SignerError } from "../keys/ports.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type { PostToGroup } from "./node-events.ts";
import type { NodePorts } from "./ports.ts";
import type { NodeSettings } from "./settings.ts";
import type { SettledListeners } from "./settled-listeners.ts";
import type { Troubles } from "./trouble.ts";

interface SubmittingPorts extends NodePorts {
  readonly schedule: Pick<GroupSchedule<GroupRunner>, "awake">;
  readonly post: PostToGroup;
  readonly fail: (error: unknown) => void;
  readonly settled: Pick<SettledListeners, "tell">;
  readonly troubles: Troubles;
}

/** Gets transactions mined, and tells groups and users what becomes of them. */
export function createSubmitter(
  options: { readonly chainId: bigint; readonly settings: NodeSettings },
  ports: SubmittingPorts,
): Submitter {
  const { store, users, schedule, post, onFact } = ports;
  const { blocks, database } = store;
  const { chainId, settings } = options;
  const { maxFeeGwei, maxTipGwei, feeRaiseMax: raiseMax } = settings;
  const caps = {
    maxFee: BigInt(maxFeeGwei) * GWEI,
    tip: BigInt(maxTipGwei) * GWEI,
  };
  return new Submitter(
    { ...submitterDefaults, chainId, caps, raiseMax },
    {
      ...ports,
      database,
      height: () => blocks.head()?.number ?? -1,
      isIndexed: ({ number, hash }) => {
        const known = blocks.hashAt(number);
        return known === undefined ? undefined : known === hash;
      },
      onProgress: (digest, progress) => {
        const runner = dispatcherOf(digest, schedule);
        if (runner !== undefined)
          post(runner, { type: "SubmissionProgressed", digest, progress });
      },
      onFailed: (digest, failure, reason, isRetryable) => {
        const runner = dispatcherOf(digest, schedule);
        if (runner === undefined) return;
        const { address: group } = runner.stored;
        onFact({ type: "SubmissionFailed", group, failure, reason });
        post(runner, {
          type: "SubmissionFailed",
          digest,
          failure,
          reason,
          isRetryable: isRetryable && runner.group.domain.isRetryable(reason),
        });
      },
      onPublicEnd: (end) => {
        users.settlePublic(end);
      },
      onPublicEnded: ports.settled.tell,
      onTrouble: (payer, error) => {
        ports.troubles.seePayer(payer, error);
        if (error !== undefined && !isPassing(error)) ports.fail(error);
      },
    },
  );
}

/** The group whose bundle this is, if it is still open. A group that waits for a bundle is awake. */
function dispatcherOf(
  digest: Digest,
  { awake }: Pick<GroupSchedule<GroupRunner>, "awake">,
): GroupRunner | undefined {
  for (const runner of awake)
    if (runner.sequencer.coordinator.dispatched.has(digest)) return runner;
  return undefined;
}

/** Chains and keys come back; whatever else is wrong does not mend itself. */
export function isPassing(error: Error): boolean {
  return (
    error instanceof ChainError ||
    error instanceof ChainMoved ||
    error instanceof SignerError
  );
}
