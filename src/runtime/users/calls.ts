import type { FunctionFragment } from "ethers";

import type { Json } from "../domains/domain.ts";
import type { NodeService } from "../service.ts";
import { type Format, formatParams } from "./abi/format.ts";
import { parseAbi } from "./abi/parse-abi.ts";
import { functionOf } from "./abi/pick-function.ts";
import type { AbiLibrary } from "./abi-library.ts";
import { notSupported, UserError } from "./errors.ts";
import type { TransactionInput } from "./input.ts";
import { type ResolvedCall, resolveCall } from "./resolve-call.ts";

/** Questions that are answered without a transaction. */
export class Calls {
  readonly #service: NodeService;
  readonly #abis: AbiLibrary;

  constructor(ports: {
    readonly service: NodeService;
    readonly abis: AbiLibrary;
  }) {
    this.#service = ports.service;
    this.#abis = ports.abis;
  }

  async call(
    input: TransactionInput & { readonly block?: unknown },
    format: Format,
  ): Promise<Json> {
    requireLatest(input.block);
    if (input.type === "private" && (input.to ?? undefined) === undefined)
      throw new UserError(
        "PD012222",
        "A private call needs an address: set to",
      );
    const call = resolveCall(input, {
      service: this.#service,
      abis: this.#abis,
    });
    return formatParams(outputsOf(call), await this.query(call), format);
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

/** The past is not kept. */
export function requireLatest(block: unknown): void {
  if (block === undefined || block === null || block === "latest") return;
  throw notSupported("A call at another block than the latest");
}

/** As the domain declares them; it knows better than the user what it answers. */
function outputsOf({
  group,
  signature,
  fragment,
}: ResolvedCall): FunctionFragment["outputs"] {
  const own = functionOf(parseAbi(group.domain.abi), signature);
  return (own ?? fragment).outputs;
}
