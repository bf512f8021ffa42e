import { EventFragment, Fragment } from "ethers";

import type { AbiEntry, Json } from "../domains/domain.ts";
import type { EntryType, StoredAbi } from "../store/stored-abis.ts";
import type { Query } from "../store/query.ts";
import { budgetFor } from "./abi/decode.ts";
import { decodeEventFor, decodeFor } from "./abi/decode-with.ts";
import { type Format, formatParams } from "./abi/format.ts";
import { type Abi, keyed, parseAbi, readAbi } from "./abi/parse-abi.ts";
import { hexBytes } from "./abi/read-data.ts";
import { signatureOf, solidityOf } from "./abi/signature.ts";
import type { UserBook } from "./book.ts";
import { UserError } from "./errors.ts";

/** Something that a stored ABI explains. */
export interface Decoded {
  readonly data: Json;
  readonly definition: AbiEntry;
  readonly signature: string;
  /** Of errors: what to show to people. */
  readonly summary?: string | undefined;
}

/** What ABIs may take of a node's disk. */
export interface AbiLimits {
  readonly abis: number;
  readonly bytes: number;
}

export const abiLimits: AbiLimits = {
  /** A project has dozens of contracts; every change of one is another ABI. */
  abis: 10_000,
  /** All of these of the usual 25 kB. They are kept twice: as a whole, and entry by entry. */
  bytes: 268_435_456,
};

/** Known to everybody. */
const builtInErrors: readonly AbiEntry[] = [
  {
    type: "error",
    name: "Error",
    inputs: [{ name: "message", type: "string" }],
  },
  {
    type: "error",
    name: "Panic",
    inputs: [{ name: "code", type: "uint256" }],
  },
];

/** The ABIs that users stored, and what can be decoded with them. */
export class AbiLibrary {
  readonly #book: UserBook;
  readonly #limits: AbiLimits;

  constructor(
    ports: { readonly book: UserBook },
    limits: AbiLimits = abiLimits,
  ) {
    this.#book = ports.book;
    this.#limits = limits;
  }

  /** Gives the hash, once the ABI is durable. Throws a {@link UserError} if there are too many. */
  async store(entries: readonly AbiEntry[]): Promise<string> {
    const abi = await readAbi(entries);
    if (this.#book.abis.has(abi.hash)) return abi.hash;
    await this.#book.database.commit(() => {
      this.#insert(abi);
    });
    return abi.hash;
  }

  /** Keeps an ABI that something refers to which is committed next, and is durable with that. Not inside a commit. */
  keep(abi: Abi): void {
    if (this.#book.abis.has(abi.hash)) return;
    this.#book.database.write(() => {
      this.#insert(abi);
    });
  }

  /** Only inside a commit. The same for an ABI of this software, for which there is always room. */
  keepOwn(abi: Abi): void {
    const { hash, items } = abi;
    if (this.#book.abis.has(hash)) return;
    this.#book.abis.insert(
      {
        hash,
        created: this.#book.now(),
        abi: items.map(({ definition }) => definition),
      },
      keyed(abi),
    );
  }

  #insert(abi: Abi): void {
    const { count, bytes } = this.#book.abis.size();
    const { abis: countMax, bytes: bytesMax } = this.#limits;
    const size = Buffer.byteLength(
      JSON.stringify(abi.items.map(({ definition }) => definition)),
    );
    if (count >= countMax || bytes + size > bytesMax)
      throw new UserError(
        "PD099016",
        `This node keeps ${count} ABIs with ${bytes} bytes and has no room for one with ${size}: ${countMax} ABIs with ${bytesMax} bytes are allowed. Use a stored one with abiReference; ptx_queryStoredABIs lists them`,
      );
    this.keepOwn(abi);
  }

  get(hash: string): StoredAbi | undefined {
    return this.#book.abis.byHash(hash.toLowerCase());
  }

  async find(query: Query): Promise<readonly StoredAbi[]> {
    return await this.#book.queries.run(
      async (turn) => await this.#book.abis.find(query, turn),
    );
  }

  decodeCall(data: string, format: Format): Decoded {
    const bytes = requireBytes(data);
    if (bytes.length < 4)
      throw new UserError("PD012226", "A call has at least 4 bytes");
    const candidates = this.#candidates("function", bytes);
    const found =
      firstThatFits(candidates, bytes.subarray(4)) ??
      refuse("PD012227", "call", candidates.length);
    return decodedWith(found, format);
  }

  /** With the errors of an ABI that is not stored yet before the others. */
  decodeError(data: string, format: Format, abi?: Abi): Decoded {
    const bytes = requireBytes(data);
    if (bytes.length < 4)
      throw new UserError("PD012221", "An error has at least 4 bytes");
    const selector = `0x${bytes.toString("hex", 0, 4)}`;
    const given = [parseAbi(builtInErrors), ...(abi === undefined ? [] : [abi])]
      .flatMap(keyed)
      .filter((entry) => entry.type === "error" && entry.selector === selector)
      .map(({ definition }) => definition);
    const candidates = [...given, ...this.#candidates("error", bytes)];
    const found =
      firstThatFits(candidates, bytes.subarray(4)) ??
      refuse("PD012221", "error", candidates.length);
    return { ...decodedWith(found, format), summary: summaryOf(found) };
  }

  decodeEvent(
    topics: readonly string[],
    data: string,
    format: Format,
  ): Decoded {
    const words = topics.map(requireBytes);
    const [first] = words;
    if (first === undefined)
      throw new UserError("PD012228", "An event without topics has no name");
    const selector = `0x${first.toString("hex")}`;
    const candidates = this.#book.abis.candidates("event", selector);
    return (
      decodeEventWith(candidates, words, requireBytes(data), format) ??
      refuse("PD012229", "event", candidates.length)
    );
  }

  #candidates(type: EntryType, bytes: Buffer): readonly AbiEntry[] {
    return this.#book.abis.candidates(type, `0x${bytes.toString("hex", 0, 4)}`);
  }
}

/** Decodes an event with the first definition that fits; undefined if none does. */
export function decodeEventWith(
  candidates: readonly AbiEntry[],
  topics: readonly Uint8Array[],
  bytes: Uint8Array,
  format: Format,
): Decoded | undefined {
  const data = { bytes, budget: budgetFor(bytes) };
  for (const definition of candidates) {
    const fragment = Fragment.from(definition);
    if (!(fragment instanceof EventFragment)) continue;
    const values = decodeEventFor(fragment, topics, data);
    if (values !== undefined)
      return {
        data: formatParams(fragment.inputs, values, format),
        definition,
        signature: solidityOf(fragment),
      };
  }
  return undefined;
}

/** A definition, and what data says according to it. */
interface Fitting {
  readonly definition: AbiEntry;
  readonly fragment: Fragment;
  readonly values: Readonly<Record<string, Json>>;
}

function firstThatFits(
  candidates: readonly AbiEntry[],
  bytes: Uint8Array,
): Fitting | undefined {
  const budget = budgetFor(bytes);
  for (const definition of candidates) {
    const fragment = Fragment.from(definition);
    const values = decodeFor(fragment, bytes, budget);
    if (values !== undefined) return { definition, fragment, values };
  }
  return undefined;
}

function decodedWith(
  { definition, fragment, values }: Fitting,
  format: Format,
): Decoded {
  return {
    data: formatParams(fragment.inputs, values, format),
    definition,
    signature: signatureOf(fragment),
  };
}

/** As in `InsufficientFunds("1","2")`; the text itself of a plain `Error(string)`. */
function summaryOf({ definition, values: named }: Fitting): string {
  const values = Object.values(named);
  const name = String(definition["name"]);
  if (name === "Error" && typeof values[0] === "string") return values[0];
  return `${name}(${values.map((value) => JSON.stringify(value)).join(",")})`;
}

function requireBytes(text: string): Buffer {
  const bytes = hexBytes(text);
  if (bytes === undefined)
    throw new UserError("PD099007", "Hexadecimal digits are needed");
  return bytes;
}

function refuse(key: string, what: string, candidates: number): never {
  throw new UserError(
    key,
    `No stored ABI explains the ${what}; ${candidates} definitions begin like it`,
  );
}
