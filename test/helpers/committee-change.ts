import {
  buildCommittee,
  buildCommitteeChange,
  committeeChangeDigest,
  encodeChangeCommittee,
  ledgerDomain,
  packEndorsements,
  parseAddress,
} from "../../src/ledger/index.ts";
import type { GroupAddress } from "../../src/protocol/ids.ts";
import { createEndorser } from "../../src/keys/secp256k1.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import type { Endorser } from "../../src/keys/ports.ts";
import { publishedAccount } from "./accounts.ts";
import { keyOf } from "./cluster.ts";

/** Nodes of a test cluster by name, and endorsers that nobody knows by number. */
export type Signer = string | number;

function endorserOf(signer: Signer): Endorser {
  return createEndorser(
    typeof signer === "string"
      ? keyOf(signer)
      : publishedAccount(10 + signer).privateKey,
  );
}

/** Changes the committee of a group with signatures of all members of the one before, and waits until it is mined. */
export async function changeCommittee(
  client: ChainClient,
  change: {
    readonly chainId: bigint;
    readonly group: GroupAddress;
    readonly epoch: bigint;
    readonly from: readonly Signer[];
    readonly to: readonly Signer[];
    readonly threshold: number;
  },
): Promise<void> {
  const { chainId, group, epoch, from, to, threshold } = change;
  const domain = ledgerDomain({ chainId, group: parseAddress(group) });
  const next = buildCommitteeChange({
    epoch,
    members: to.map((signer) => endorserOf(signer).address),
    threshold,
  });
  const digest = committeeChangeDigest(domain, next);
  const signers = from.map(endorserOf);
  const old = buildCommittee({
    members: signers.map(({ address }) => address),
    threshold: 1,
  });
  const signatures = await Promise.all(
    signers.map(async ({ address, sign }) => ({
      member: address,
      signature: await sign(digest),
    })),
  );
  const data = encodeChangeCommittee(next, packEndorsements(old, signatures));
  const accounts = (await client.request("eth_accounts", [])) as string[];
  const hash = await client.request("eth_sendTransaction", [
    { from: accounts[0], to: group, data, gas: "0xf00000" },
  ]);
  for (;;) {
    const receipt = (await client.request("eth_getTransactionReceipt", [
      hash,
    ])) as { readonly status: string } | null;
    if (receipt === null) continue;
    if (receipt.status !== "0x1") throw new Error("The change was refused.");
    return;
  }
}
