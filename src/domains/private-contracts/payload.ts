import { z } from "zod";

import { byteLength, type Hex, toBytes } from "../../ledger/index.ts";
import { type DomainCall, DomainRefusal } from "../domain.ts";
import { bounds } from "./bounds.ts";
import { isName } from "./identity.ts";
import { address, bytes } from "./values.ts";

/** What a user wants executed. Where he is, the step says: nobody can speak for somebody on another node. */
export interface Wanted {
  /** On the node that sends it. */
  readonly from: string;
  /** Undefined for a new contract. */
  readonly to: Hex | undefined;
  readonly data: Uint8Array;
}

const payloadType = z
  .object({
    from: z.string().refine(isName),
    to: address.optional(),
    data: z.string().base64(),
  })
  .strict();

const deployType = z.object({ bytecode: bytes }).strict();
const invokeType = z.object({ to: address, data: bytes }).strict();

/** Reads a call of `deploy`, `invoke` or `call`. Throws a {@link DomainRefusal}. */
export function readCall({ signature, from, args }: DomainCall): Wanted {
  if (!isName(from))
    throw new DomainRefusal(`${JSON.stringify(from)} is nobody's name.`);
  if (signature === "deploy(bytes)") {
    const { bytecode } = readArgs(deployType, args, signature);
    if (byteLength(bytecode) === 0)
      throw new DomainRefusal("A contract needs bytecode, and there is none.");
    return { from, to: undefined, data: toBytes(bytecode) };
  }
  if (
    signature === "invoke(address,bytes)" ||
    signature === "call(address,bytes)"
  ) {
    const { to, data } = readArgs(invokeType, args, signature);
    return { from, to, data: toBytes(data) };
  }
  throw new DomainRefusal(`Private contracts have no function ${signature}.`);
}

/** What an intent carries. */
export function writePayload({ from, to, data }: Wanted): string {
  const text = Buffer.from(data).toString("base64");
  const payload = JSON.stringify({ from, to, data: text });
  if (payload.length > bounds.payloadLength)
    throw new DomainRefusal(
      `${data.length} bytes are too much for one transaction: it takes about ${Math.floor((bounds.payloadLength * 3) / 4 / 1000)} kB. Deploy parts of the contract, such as libraries, on their own.`,
    );
  return payload;
}

/** Reads a payload that may come from anybody; undefined if it makes no sense. */
export function readPayload(payload: string): Wanted | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload);
  } catch {
    return undefined;
  }
  const read = payloadType.safeParse(parsed).data;
  if (read === undefined) return undefined;
  const wanted = {
    from: read.from,
    to: read.to,
    data: Buffer.from(read.data, "base64"),
  };
  // A payload is written in one way only.
  return writePayload(wanted) === payload ? wanted : undefined;
}

function readArgs<Type extends z.ZodTypeAny>(
  type: Type,
  args: DomainCall["args"],
  signature: string,
): z.infer<Type> {
  const read = type.safeParse(args);
  if (read.success) return read.data as z.infer<Type>;
  const problems = read.error.issues.map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
  throw new DomainRefusal(
    `${signature} does not take these arguments: ${problems.join("; ")}.`,
  );
}
