import { createHash } from "node:crypto";

import {
  type Address,
  encodeExecute,
  LedgerInputError,
  packEndorsements,
  parseAddress,
} from "../../../ledger/index.ts";
import type { Hashing } from "../../../protocol/config.ts";
import type { NodeName } from "../../../protocol/ids.ts";
import { outlineOf } from "../../../protocol/outline.ts";
import type { Prepared } from "../../../protocol/records.ts";
import { transitionOf } from "../../../domains/states/arrange.ts";
import type { Payer } from "../../../keys/ports.ts";
import { createPayer } from "../../../keys/secp256k1.ts";
import type { NodeGroup } from "../../../node/service.ts";
import type { SimulatedLedger } from "../../chain-rpc/ledger.ts";
import { PoolRefusal } from "../../chain-rpc/mempool.ts";

const GAS = 8_000_000n;
const FEE = 100_000_000_000n;

/** Submits bundles, paid by an account that belongs to no node. Whether anybody permitted them does not matter to the ledger. */
export class Pen {
  readonly #ledger: SimulatedLedger;
  readonly #payer: Payer;

  constructor(
    options: { readonly seed: number; readonly name: NodeName },
    ports: { readonly ledger: SimulatedLedger },
  ) {
    const text = `${options.seed} pen of ${options.name}`;
    const secret = createHash("sha256").update(text).digest("hex");
    this.#payer = createPayer(`0x${secret}`);
    this.#ledger = ports.ledger;
  }

  async execute(
    group: Pick<NodeGroup, "address" | "endorsers">,
    { bundle, endorsements }: Prepared,
    means: {
      readonly hashing: Hashing;
      readonly endorserOf: (name: NodeName) => Address;
    },
  ): Promise<void> {
    const { chainId } = this.#ledger.options;
    const nonce = this.#nextNonce();
    try {
      const raw = await this.#payer.signTransaction({
        chainId,
        nonce,
        to: parseAddress(group.address),
        data: encodeExecute(
          transitionOf(outlineOf(means.hashing, bundle), 0n),
          packEndorsements(
            { members: group.endorsers.map(means.endorserOf).sort() },
            endorsements.map(({ endorser, signature }) => ({
              member: means.endorserOf(endorser),
              signature,
            })),
          ),
        ),
        value: 0n,
        gasLimit: GAS,
        maxFeePerGas: FEE,
        maxPriorityFeePerGas: 1n,
        gasPrice: undefined,
      });
      this.#ledger.send(raw);
    } catch (error) {
      // The ledger takes nothing that has not the form of a transition.
      if (!(error instanceof LedgerInputError || error instanceof PoolRefusal))
        throw error;
    }
  }

  /** A reorganisation may lose what it sent before. */
  #nextNonce(): number {
    const { mempool, head } = this.#ledger;
    const from = this.#payer.address;
    const { nonce } = this.#ledger.accountAt(from, head);
    return mempool.nextNonce(from, nonce);
  }
}
