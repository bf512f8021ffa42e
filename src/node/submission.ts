import {
  type Address,
  encodeExecute,
  packEndorsements,
  parseAddress,
} from "../ledger/index.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Prepared } from "../protocol/records.ts";
import { executeGasMax } from "../chain/submitter/gas.ts";
import type { Submission } from "../chain/submitter/ports.ts";
import { outlineOf } from "../protocol/outline.ts";
import { transitionOf } from "../domains/states/arrange.ts";
import type { GroupRunner } from "./group-runner.ts";

/** The call that carries out an endorsed bundle, with as many endorsements as the ledger wants. */
export function submissionOf(
  { stored, sequencer }: GroupRunner,
  { bundle, endorsements }: Prepared,
): Submission {
  const { committee, threshold, epoch, address } = stored;
  const addresses = new Map<NodeName | undefined, Address>(
    committee.map(({ name, endorser }) => [name, endorser]),
  );
  const packed = packEndorsements(
    { members: committee.map(({ endorser }) => endorser) },
    endorsements.slice(0, threshold).map(({ endorser, signature }) => ({
      member: parseAddress(addresses.get(endorser)),
      signature,
    })),
  );
  const outline = outlineOf(sequencer.config.hashing, bundle);
  const transition = transitionOf(outline, epoch);
  const data = encodeExecute(transition, packed);
  return {
    digest: bundle.digest,
    group: address,
    to: parseAddress(address),
    data,
    gasLimit: executeGasMax(transition, { data, signers: packed.signers }),
    validUntil: bundle.validUntil,
  };
}
