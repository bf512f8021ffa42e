import { ConstructorFragment, type Fragment, FunctionFragment } from "ethers";

import type { AbiEntry, Json } from "../domains/domain.ts";
import type { NodeGroup, NodeService } from "../node/service.ts";
import { DecodeError, decodeParams } from "./abi/decode.ts";
import { encodeParams } from "./abi/encode.ts";
import { type Format, formatParams } from "./abi/format.ts";
import { parseAbi, parseEntry } from "./abi/parse-abi.ts";
import { functionOf, pickFunction } from "./abi/pick-function.ts";
import { hexBytes, readData } from "./abi/read-data.ts";
import { readParams } from "./abi/read-value.ts";
import { declarationOf, signatureOf } from "./abi/signature.ts";
import { type Calls, requireLatest } from "./calls.ts";
import { notSupported, UserError } from "./errors.ts";
import type { Groups } from "./groups.ts";
import { parseLocalIdentity } from "./identity.ts";
import { groupAt, type ResolvedCall, unknownFunction } from "./resolve-call.ts";
import type { Submissions } from "./submissions.ts";

/** What a user sends to a group. */
export interface GroupCallInput {
  readonly domain?: string | null | undefined;
  readonly group?: string | null | undefined;
  readonly from: string;
  readonly to?: string | null | undefined;
  readonly input?: unknown;
  /** An entry of an ABI; or the name or the signature of one of the domain's functions. */
  readonly function?: AbiEntry | string | null | undefined;
  readonly bytecode?: string | null | undefined;
}

/**
 * Transactions and calls of a group. A function that the group's domain declares is the domain's. Others are of contracts
 * inside the group, for domains that have such: those declare `deploy(bytes)`, `invoke(address,bytes)` and
 * `call(address,bytes)`, and get what a contract on a base ledger would get.
 */
export class GroupCalls {
  readonly #service: NodeService;
  readonly #groups: Groups;
  readonly #submissions: Submissions;
  readonly #calls: Calls;

  constructor(ports: {
    readonly service: NodeService;
    readonly groups: Groups;
    readonly submissions: Submissions;
    readonly calls: Calls;
  }) {
    this.#service = ports.service;
    this.#groups = ports.groups;
    this.#submissions = ports.submissions;
    this.#calls = ports.calls;
  }

  /** Gives the id of the transaction. */
  async send(
    input: GroupCallInput & {
      readonly idempotencyKey?: string | null | undefined;
    },
  ): Promise<string> {
    const { call, shown } = this.#resolve(input, "invoke(address,bytes)");
    const [id] = await this.#submissions.submit([
      {
        type: "private",
        call,
        options: {
          from: input.from,
          idempotencyKey: input.idempotencyKey ?? undefined,
          dependsOn: [],
          isPrepareOnly: false,
          ...(shown && { shown }),
        },
      },
    ]);
    if (id === undefined) throw new Error("A transaction has no id.");
    return id;
  }

  async call(
    input: GroupCallInput & { readonly block?: unknown },
    format: Format,
  ): Promise<Json> {
    requireLatest(input.block);
    const { call, shown } = this.#resolve(input, "call(address,bytes)");
    const values = await this.#calls.query(call);
    if (shown === undefined)
      return formatParams(call.fragment.outputs, values, format);
    const outputs = shown.fragment?.outputs ?? [];
    const [data] = Object.values(values);
    return formatParams(outputs, decodeOutputs(outputs, data), format);
  }

  #resolve(input: GroupCallInput, wrapper: string): Resolved {
    const group = this.#groupOf(input);
    const identity = parseLocalIdentity(input.from, this.#service.name);
    const base = { group, identity };
    const own = ownFunction(group, input);
    if (own === undefined) return wrap(input, base, wrapper);
    const args = readData(
      {
        label: declarationOf(own),
        selector: () => own.selector,
        inputs: own.inputs,
      },
      input.input,
    );
    const entry = entryOf(input);
    const abi = parseAbi(entry === undefined ? group.domain.abi : [entry]);
    const signature = signatureOf(own);
    return {
      call: { ...base, fragment: own, signature, args, abi },
      shown: undefined,
    };
  }

  #groupOf({ domain, group: id }: GroupCallInput): NodeGroup {
    if ((domain ?? "") === "")
      throw new UserError("PD012505", "domain must be specified");
    if ((id ?? "") === "")
      throw new UserError("PD012504", "group must be specified");
    const group = this.#groups.byId(domain ?? "", id ?? "");
    if (group === undefined)
      throw new UserError(
        "PD012502",
        `This node knows no group '${id ?? ""}' of ${domain ?? ""}`,
      );
    const { contractAddress, genesisTransaction } = group;
    if (contractAddress === undefined)
      throw new UserError(
        "PD012503",
        `Group '${group.id}' is not on the ledger (see transaction ${genesisTransaction ?? ""})`,
      );
    return groupAt(contractAddress, group.domain, this.#service);
  }
}

/** A call, and if it is of a contract inside the group, what the user called it. */
interface Resolved {
  readonly call: ResolvedCall;
  readonly shown:
    | {
        readonly function: string;
        readonly data: Json;
        readonly fragment: FunctionFragment | undefined;
      }
    | undefined;
}

/** The domain's function that a user means; undefined for one of a contract inside the group. */
function ownFunction(
  { domain }: NodeGroup,
  { function: asked, to, bytecode }: GroupCallInput,
): FunctionFragment | undefined {
  const isInside = (to ?? bytecode ?? undefined) !== undefined;
  if (typeof asked === "string") {
    if (isInside)
      throw new UserError(
        "PD012208",
        `A function of a contract is needed as an entry of its ABI, not as '${asked}'`,
      );
    if (asked.trim() === "") throw unknownFunction(domain, undefined);
    return pickFunction(parseAbi(domain.abi), asked);
  }
  if (isInside || (asked ?? undefined) === undefined) return undefined;
  const entry = parseEntry(asked ?? {});
  if (!(entry instanceof FunctionFragment)) return undefined;
  return functionOf(parseAbi(domain.abi), signatureOf(entry));
}

/** The entry of an ABI that a user gave. */
function entryOf({ function: asked }: GroupCallInput): AbiEntry | undefined {
  return typeof asked === "string" ? undefined : (asked ?? undefined);
}

/** What a contract inside the group is called with. */
function wrap(
  input: GroupCallInput,
  base: Pick<ResolvedCall, "group" | "identity">,
  wrapper: string,
): Resolved {
  const { group } = base;
  const entry = entryOf(input);
  const bytecode = input.bytecode ?? undefined;
  const signature = bytecode === undefined ? wrapper : "deploy(bytes)";
  const fragment = functionOf(parseAbi(group.domain.abi), signature);
  const asked = entry && parseEntry(entry);
  const askedSignature = asked && signatureOf(asked);
  if (fragment === undefined)
    throw unknownFunction(group.domain, askedSignature);
  const { data, values } = encodeCall(asked, input.input, bytecode);
  const to = input.to ?? undefined;
  if (bytecode === undefined && to === undefined)
    throw new UserError("PD012208", "A call of a contract needs its address");
  const positional = bytecode === undefined ? [to, data] : [data];
  return {
    call: {
      ...base,
      fragment,
      signature,
      args: readParams(fragment.inputs, positional),
      abi: parseAbi(entry === undefined ? group.domain.abi : [entry]),
    },
    shown: {
      function: askedSignature ?? signature,
      data: { ...(to !== undefined && { to }), inputs: values },
      fragment: asked instanceof FunctionFragment ? asked : undefined,
    },
  };
}

function encodeCall(
  asked: Fragment | undefined,
  input: unknown,
  bytecode: string | undefined,
): { readonly data: string; readonly values: Json } {
  if (asked === undefined) {
    const bytes = typeof input === "string" ? hexBytes(input) : undefined;
    if (bytes === undefined)
      throw new UserError(
        "PD012208",
        "Without a function the input is hexadecimal digits",
      );
    const data = bytes.toString("hex");
    return { data: `${bytecode ?? "0x"}${data}`, values: `0x${data}` };
  }
  const isFunction = asked instanceof FunctionFragment;
  if (!isFunction && !(asked instanceof ConstructorFragment))
    throw notSupported(`A call of a ${asked.type}`);
  const selector = isFunction ? asked.selector : undefined;
  const label = declarationOf(asked);
  const { inputs } = asked;
  const values = readData({ label, selector: () => selector, inputs }, input);
  const encoded = encodeParams(asked.inputs, values).slice(2);
  return { data: `${selector ?? bytecode ?? "0x"}${encoded}`, values };
}

function decodeOutputs(
  outputs: FunctionFragment["outputs"],
  data: Json | undefined,
): Readonly<Record<string, Json>> {
  try {
    const bytes = typeof data === "string" ? hexBytes(data) : undefined;
    return decodeParams(outputs, bytes ?? Buffer.alloc(0));
  } catch (error) {
    if (error instanceof DecodeError)
      throw new UserError(
        "PD099010",
        `The contract answered something else than the ABI says: ${error.message}`,
      );
    throw error;
  }
}
