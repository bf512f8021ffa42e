import type { Event } from "../../protocol/events.ts";
import type { Digest } from "../../protocol/ids.ts";
import { GWEI, submitterDefaults } from "../ledger/submitter/ports.ts";
import { Submitter } from "../ledger/submitter/submitter.ts";
import { ChainMoved } from "../ledger/worker.ts";
import { ChainError, SignerError } from "../ports.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { NodePorts } from "./ports.ts";
import type { NodeSettings } from "./settings.ts";
import type { Troubles } from "./trouble.ts";

interface SubmittingPorts extends NodePorts {
  /** The group whose bundle this is, if it is still open. */
  readonly dispatcherOf: (digest: Digest) => GroupRunner | undefined;
  readonly tell: (runner: GroupRunner, event: Event) => void;
  readonly fail: (error: unknown) => void;
  readonly onSettled: () => void;
  readonly troubles: Troubles;
}

/** Gets transactions mined, and tells groups and users what becomes of them. */
export function createSubmitter(
  options: { readonly chainId: bigint; readonly settings: NodeSettings },
  ports: SubmittingPorts,
): Submitter {
  const { store, users, dispatcherOf, tell, onFact } = ports;
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
        const runner = dispatcherOf(digest);
        if (runner !== undefined)
          tell(runner, { type: "SubmissionProgressed", digest, progress });
      },
      onFailed: (digest, failure, reason, isRetryable) => {
        const runner = dispatcherOf(digest);
        if (runner === undefined) return;
        const { address: group } = runner.stored;
        onFact({ type: "SubmissionFailed", group, failure, reason });
        tell(runner, {
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
      onPublicEnded: ports.onSettled,
      onTrouble: (payer, error) => {
        ports.troubles.seePayer(payer, error);
        if (error !== undefined && !isPassing(error)) ports.fail(error);
      },
    },
  );
}

/** Chains and keys come back; whatever else is wrong does not mend itself. */
export function isPassing(error: Error): boolean {
  return (
    error instanceof ChainError ||
    error instanceof ChainMoved ||
    error instanceof SignerError
  );
}
