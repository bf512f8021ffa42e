import {
  type Hex,
  keccak256Hex,
  parseHex,
  parseStateId,
  registerOf,
  type StateId as LedgerId,
} from "../../ledger/index.ts";
import { type Place, parsePlace, type StateId } from "../../protocol/ids.ts";

/** Which output of which transition a state is, and the register that it is in. */
export interface PlaceParts {
  readonly intentsHash: Hex;
  readonly index: number;
  /** The 8 bytes that the ledger's id begins with. */
  readonly register: string;
}

const pattern = /^0x([0-9a-f]{64})([0-9a-f]{8})([0-9a-f]{16})$/;

/** Writes a place down. */
export function placeOf({ intentsHash, index, register }: PlaceParts): Place {
  const digits =
    intentsHash.slice(2) +
    index.toString(16).padStart(8, "0") +
    register.slice(2);
  const place = parsePlace(`0x${digits}`);
  if (place === undefined) throw new Error(`0x${digits} is no place.`);
  return place;
}

/** The place of a state that is on the ledger. */
export function placeOnLedger(
  ledgerId: LedgerId,
  output: { readonly intentsHash: Hex; readonly index: number },
): Place {
  return placeOf({ ...output, register: registerOf(ledgerId) });
}

/** The ledger's id of a private state at a place; undefined if the place makes no sense. */
export function ledgerIdOf(id: StateId, place: Place): LedgerId | undefined {
  const [, intentsHash, index, register] = pattern.exec(place) ?? [];
  if (
    intentsHash === undefined ||
    index === undefined ||
    register === undefined
  )
    return undefined;
  const hash = outputHash({
    intentsHash: parseHex(`0x${intentsHash}`),
    index: Number.parseInt(index, 16),
    id,
  });
  return parseStateId(`0x${register}${hash.slice(18)}`);
}

/** Whether a private state is the output of a transition that the ledger gave this id. */
export function isAt(
  ledgerId: LedgerId,
  output: {
    readonly intentsHash: Hex;
    readonly index: number;
    readonly id: StateId;
  },
): boolean {
  return outputHash(output).slice(18) === ledgerId.slice(18);
}

/** `keccak256(abi.encode(intentsHash, index, commitment))`, where a private id is the commitment. */
function outputHash(output: {
  readonly intentsHash: Hex;
  readonly index: number;
  readonly id: string;
}): string {
  const bytes = new Uint8Array(96);
  bytes.set(Buffer.from(output.intentsHash.slice(2), "hex"), 0);
  new DataView(bytes.buffer).setUint32(60, output.index);
  bytes.set(Buffer.from(output.id.slice(2), "hex"), 64);
  return keccak256Hex(bytes);
}
