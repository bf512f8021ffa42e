import { formatEther } from "ethers";

import type { Json } from "../domains/domain.ts";
import { Chain } from "../chain/chain.ts";
import { firstFees, usualFees } from "../chain/submitter/fees.ts";
import { TRANSACTION_GAS_MAX, withMargin } from "../chain/submitter/gas.ts";
import { submitterDefaults } from "../chain/submitter/ports.ts";
import { verdictOf } from "../chain/submitter/verdict.ts";
import type { ChainClient, ChainError } from "../chain/ports.ts";
import type {
  NewTransaction,
  NodeService,
  TransactionSigner,
} from "../node/service.ts";
import { DecodeError, decodeParams } from "./abi/decode.ts";
import { type Format, formatParams } from "./abi/format.ts";
import type { Abi } from "./abi/parse-abi.ts";
import { hexBytes } from "./abi/read-data.ts";
import type { AbiLibrary } from "./abi-library.ts";
import { askChain } from "./chain-answers.ts";
import { notSupported, UserError } from "./errors.ts";
import { parseLocalIdentity } from "./identity.ts";
import type { PublicCall } from "./resolve-public.ts";
import { revertError } from "./reverts.ts";

/** Transactions and calls of the base ledger, checked against the chain as it is now. */
export class BaseTransactions {
  readonly #service: NodeService;
  readonly #abis: AbiLibrary;
  readonly #chain: Chain | undefined;

  constructor(ports: {
    readonly service: NodeService;
    readonly abis: AbiLibrary;
    readonly chain: ChainClient | undefined;
  }) {
    this.#service = ports.service;
    this.#abis = ports.abis;
    this.#chain = ports.chain && new Chain(ports.chain);
  }

  /** What the node is to submit, with a limit for gas. Throws a {@link UserError} if it would revert, or nobody can pay. */
  async prepare(
    id: NewTransaction["id"],
    call: PublicCall,
    from: string,
  ): Promise<NewTransaction> {
    const signer = this.#signerOf(from);
    const { to, data, value, maxFee, tip } = call;
    if (value > 0n) await this.#requireFunds(signer, value);
    const gasLimit = call.gas ?? (await this.#estimate(call, signer));
    requireFitting(gasLimit);
    const usual = await askChain(
      async () => await usualFees(this.#requireChain(), submitterDefaults),
    );
    const fees = firstFees({ wanted: { maxFee, tip } }, usual);
    await this.#requireFunds(signer, value + gasLimit * fees.maxFee);
    return { id, signer, to, data, value, gasLimit, maxFee, tip };
  }

  /** Makes a call without a transaction. Throws a {@link UserError} if it reverts. */
  async call(
    { to, data, value, gas, outputs, signature, abi }: PublicCall,
    options: {
      /** Without it, nobody calls. */
      readonly from: string | undefined;
      readonly block: number | "latest";
      readonly format: Format;
    },
  ): Promise<Json> {
    const chain = this.#requireChain();
    const from = options.from && this.#callerOf(options.from);
    const call = { from, to, data, gas, ...(value > 0n && { value }) };
    const answer = await askChain(
      async () => await chain.call(call, options.block),
      (refusal) => this.#explain(refusal, abi, "call it"),
    );
    if (outputs.length > 0 && answer === "0x")
      throw new UserError(
        "PD099010",
        `${to ?? "It"} gives nothing for ${signature}: there is no contract, or it has no such function`,
      );
    try {
      // Who creates a contract gets its code, which no ABI describes.
      const bytes = outputs.length === 0 ? undefined : hexBytes(answer);
      const values = decodeParams(outputs, bytes ?? Buffer.alloc(0));
      return formatParams(outputs, values, options.format);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new UserError(
        "PD099010",
        `The contract answered something else than the ABI says: ${error.message}`,
      );
    }
  }

  async #estimate(
    { to, data, value, abi }: PublicCall,
    { address: from }: TransactionSigner,
  ): Promise<bigint> {
    const chain = this.#requireChain();
    const call = { from, to, data, ...(value > 0n && { value }) };
    const gas = await askChain(
      async () => await chain.estimateGas(call),
      (refusal) => this.#explain(refusal, abi, "estimate its gas"),
    );
    requireFitting(gas);
    return withMargin(gas);
  }

  /** The chain refused. Nodes tell of a revert by its data, or only in words. */
  #explain(refusal: ChainError, abi: Abi, wanted: string): UserError {
    const { data, message } = refusal;
    if (typeof data === "string") return revertError(this.#abis, data, abi);
    return verdictOf(refusal) === "taken"
      ? revertError(this.#abis, undefined)
      : new UserError("PD099011", `The chain refuses to ${wanted}: ${message}`);
  }

  async #requireFunds(
    signer: TransactionSigner,
    needed: bigint,
  ): Promise<void> {
    const { address, userName } = signer;
    const chain = this.#requireChain();
    const has = await askChain(async () => await chain.balanceOf(address));
    if (has >= needed) return;
    const fund = async () => await this.#service.fund(signer, needed);
    if (await askChain(fund)) return;
    const what = `it has ${formatEther(has)} and may need ${formatEther(needed)} of the chain's coin`;
    throw new UserError(
      "PD099015",
      userName === undefined
        ? `${address} cannot pay: ${what}. Send it some`
        : `${userName} signs as ${address}, which cannot pay: ${what}. Send it some, or set from to eth_address: and an address that pays for this node`,
    );
  }

  #signerOf(from: string): TransactionSigner {
    const { name } = parseLocalIdentity(from, this.#service.name);
    const signer = this.#service.signerOf(name);
    if (signer === undefined)
      throw new UserError(
        "PD099008",
        `This node has no key for ${name}: set from to a name, or to eth_address: and an address that pays for this node`,
      );
    return signer;
  }

  /** A question can be asked for any address. */
  #callerOf(from: string): string {
    const { name } = parseLocalIdentity(from, this.#service.name);
    const address = /^eth_address:(0x[\da-f]{40})$/i.exec(name)?.[1];
    return address?.toLowerCase() ?? this.#signerOf(from).address;
  }

  #requireChain(): Chain {
    if (this.#chain === undefined) throw notSupported("The base ledger");
    return this.#chain;
  }
}

/** A transaction with more is never mined. */
function requireFitting(gas: bigint): void {
  if (gas > TRANSACTION_GAS_MAX)
    throw new UserError(
      "PD099012",
      `gas cannot be ${gas}: a transaction has at most ${TRANSACTION_GAS_MAX} (EIP-7825). Do less at a time`,
    );
}
