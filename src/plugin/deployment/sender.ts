import type { HardhatEthers } from "@nomicfoundation/hardhat-ethers/types";

import { SequencerError } from "../errors.ts";
import { parseAddress } from "./parse-address.ts";

/** The account to send from: the network's first, or the one that `from` names by address or by index. */
export async function chooseSender(
  connection: {
    readonly ethers: HardhatEthers;
    readonly networkName: string;
  },
  from: string | undefined,
): Promise<string> {
  const network = connection.networkName;
  const signers = await connection.ethers.getSigners();
  const accounts = signers.map(({ address }) => address);
  const [first] = accounts;
  if (first === undefined) throw new SequencerError("NO_ACCOUNTS", { network });
  if (from === undefined) return first;
  const chosen = /^\d+$/.test(from)
    ? accounts[Number(from)]
    : accounts.find((account) => account === parseAddress("--from", from));
  if (chosen === undefined)
    throw new SequencerError("SENDER_UNKNOWN", {
      value: from,
      network,
      count: accounts.length,
    });
  return chosen;
}
