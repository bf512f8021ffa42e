import {
  encodeExecute,
  packEndorsements,
  parseAddress,
} from "../../ledger/index.ts";
import type { Prepared } from "../../protocol/records.ts";
import { executeGasMax } from "../ledger/submitter/gas.ts";
import type { Submission } from "../ledger/submitter/ports.ts";
import { transitionOf } from "../states/arrange.ts";
import type { GroupRunner } from "./group-runner.ts";

/** The call that carries out an endorsed bundle, with as many endorsements as the ledger wants. */
export function submissionOf(
  { stored }: GroupRunner,
  { bundle, endorsements }: Prepared,
): Submission {
  const { members, threshold, epoch, address } = stored;
  const addresses = new Map(
    members.map(({ name, endorser }) => [name, endorser]),
  );
  const packed = packEndorsements(
    { members: members.map(({ endorser }) => endorser) },
    endorsements.slice(0, threshold).map(({ endorser, signature }) => ({
      member: parseAddress(addresses.get(endorser)),
      signature,
    })),
  );
  const transition = transitionOf(bundle, epoch);
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
