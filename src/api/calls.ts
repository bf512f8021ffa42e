import type { Json } from "../domains/domain.ts";
import type { NodeService } from "../node/service.ts";
import { type Format, formatParams } from "./abi/format.ts";
import type { AbiLibrary } from "./abi-library.ts";
import type { BaseTransactions } from "./base-transactions.ts";
import { notSupported, UserError } from "./errors.ts";
import type { CallInput } from "./input.ts";
import { readQuantity } from "./quantity.ts";
import { type ResolvedCall, resolveCall } from "./resolve-call.ts";
import { resolvePublic } from "./resolve-public.ts";

/** Questions that are answered without a transaction. */
export class Calls {
  readonly #service: NodeService;
  readonly #abis: AbiLibrary;
  readonly #base: BaseTransactions;

  constructor(ports: {
    readonly service: NodeService;
    readonly abis: AbiLibrary;
    readonly base: BaseTransactions;
  }) {
    this.#service = ports.service;
    this.#abis = ports.abis;
    this.#base = ports.base;
  }

  async call(input: CallInput, format: Format): Promise<Json> {
    const from = input.from ?? undefined;
    if (input.type === "public")
      return await this.#base.call(await resolvePublic(input, this.#abis), {
        from,
        block: readBlock(input.block),
        format,
      });
    requireLatest(input.block);
    if ((input.to ?? undefined) === undefined)
      throw new UserError(
        "PD012222",
        "A private call needs an address: set to",
      );
    if (from === undefined)
      throw new UserError(
        "PD020006",
        "A private call needs to know who: set from",
      );
    const ports = { service: this.#service, abis: this.#abis };
    const call = await resolveCall({ ...input, from }, ports);
    return formatParams(call.fragment.outputs, await this.query(call), format);
  }

  async query(
    call: Pick<ResolvedCall, "group" | "identity" | "signature" | "args">,
  ): Promise<Readonly<Record<string, Json>>> {
    return await this.#service.query(call.group.address, {
      from: call.identity.name,
      signature: call.signature,
      args: call.args,
    });
  }
}

/** A block of the base ledger. */
function readBlock(block: unknown): number | "latest" {
  if (block === undefined || block === null || block === "latest")
    return "latest";
  const number = readQuantity("block", block) ?? 0n;
  if (number > BigInt(Number.MAX_SAFE_INTEGER))
    throw new UserError("PD099012", `No chain has a block ${number}`);
  return Number(number);
}

/** The past is not kept. */
export function requireLatest(block: unknown): void {
  if (block === undefined || block === null || block === "latest") return;
  throw notSupported("A call at another block than the latest");
}
