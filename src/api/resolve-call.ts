import type { FunctionFragment } from "ethers";

import { parseGroupAddress } from "../protocol/ids.ts";
import type { Domain, Json } from "../domains/domain.ts";
import type { NodeGroup, NodeService } from "../node/service.ts";
import { type Abi, parseAbi, readAbi } from "./abi/parse-abi.ts";
import {
  declarations,
  functionOf,
  functionsOf,
  pickFunction,
} from "./abi/pick-function.ts";
import { readData } from "./abi/read-data.ts";
import { declarationOf, signatureOf } from "./abi/signature.ts";
import type { AbiLibrary } from "./abi-library.ts";
import { notSupported, UserError } from "./errors.ts";
import { type Identity, parseLocalIdentity } from "./identity.ts";
import type { TransactionInput } from "./input.ts";

/** What a user means: a function of a group's domain, with arguments. */
export interface ResolvedCall {
  readonly group: NodeGroup;
  readonly identity: Identity;
  readonly fragment: FunctionFragment;
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly abi: Abi;
}

/** Finds out what a user means. Throws a {@link UserError} if he cannot mean anything. */
export async function resolveCall(
  input: TransactionInput,
  ports: { readonly service: NodeService; readonly abis: AbiLibrary },
): Promise<ResolvedCall> {
  const { service, abis } = ports;
  const identity = parseLocalIdentity(input.from, service.name);
  const to = input.to ?? undefined;
  if (to === undefined) throw deployProblem(input);
  if ((input.bytecode ?? undefined) !== undefined)
    throw new UserError(
      "PD012207",
      "Bytecode can only be supplied with a public constructor",
    );
  const group = groupAt(to, input.domain ?? undefined, service);
  const abi = await abiOf(input, abis);
  const asked = pickFunction(abi, input.function ?? "");
  const signature = signatureOf(asked);
  const fragment = requireOwn(group.domain, signature);
  const args = readData(
    {
      label: declarationOf(fragment),
      selector: () => fragment.selector,
      inputs: fragment.inputs,
    },
    input.data,
  );
  return { group, identity, fragment, signature, args, abi };
}

/** The domain's own declaration of a function. A user's ABI may name arguments in another way, and the domain reads its own names. */
function requireOwn(domain: Domain, signature: string): FunctionFragment {
  const abi = parseAbi(domain.abi);
  const own = functionOf(abi, signature);
  if (own === undefined) throw unknownFunction(domain, signature);
  return own;
}

/** The error for a function that a domain does not have. */
export function unknownFunction(
  { name, abi }: Domain,
  asked: string | undefined,
): UserError {
  const problem =
    asked === undefined
      ? "function must be specified"
      : `${name} has no function '${asked}'`;
  const known = declarations(functionsOf(parseAbi(abi)));
  return new UserError("PD012206", `${problem}. ${name} has: ${known}`);
}

/** The group at an address, which must be of the domain that the user names, if he names one. */
export function groupAt(
  to: string,
  domain: string | undefined,
  service: NodeService,
): NodeGroup {
  const address = parseGroupAddress(to);
  const group = address && service.group(address);
  if (group === undefined)
    throw new UserError(
      "PD011609",
      `There is no private contract at ${to}, as far as this node knows`,
    );
  if (domain !== undefined && domain !== "" && domain !== group.domain.name)
    throw new UserError(
      "PD012231",
      `The domain of ${group.address} is ${group.domain.name}, not ${domain}`,
    );
  return group;
}

/** The ABI that a user gives, or names. */
export async function abiOf(
  input: Pick<TransactionInput, "abi" | "abiReference">,
  abis: AbiLibrary,
): Promise<Abi> {
  const abi = input.abi ?? undefined;
  const reference = input.abiReference ?? undefined;
  if (abi !== undefined && reference !== undefined)
    throw new UserError("PD012202", "Supply abi or abiReference, not both");
  if (abi !== undefined) return await readAbi(abi);
  if (reference === undefined)
    throw new UserError("PD012218", "Supply abi or abiReference");
  const stored = abis.get(reference);
  if (stored === undefined)
    throw new UserError("PD012203", `There is no stored ABI ${reference}`);
  return await readAbi(stored.abi);
}

function deployProblem(input: TransactionInput): UserError {
  if ((input.function ?? "") !== "")
    return new UserError(
      "PD012204",
      "A function needs an address to call it at: set to, or leave function out",
    );
  if ((input.domain ?? "") === "")
    return new UserError("PD012232", "A private deployment needs a domain");
  return notSupported(
    "A private deployment other than with pgroup_createGroup",
  );
}
