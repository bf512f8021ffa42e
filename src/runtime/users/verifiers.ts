import { computeAddress, getAddress } from "ethers";

import type { NodeName } from "../../protocol/ids.ts";
import { notSupported, UserError } from "./errors.ts";
import { type Identity, parseIdentity } from "./identity.ts";

/** Whose key it is. Asks another node if it must, and gives up after a while. */
export interface KeyDirectory {
  /** The uncompressed secp256k1 key, 65 bytes with 0x; undefined if there is none. A local one is made on first use. */
  readonly publicKeyOf: (identity: Identity) => Promise<string | undefined>;
}

/** By what others can check who somebody is. */
export class Verifiers {
  readonly #local: NodeName;
  readonly #keys: KeyDirectory | undefined;

  constructor(
    options: { readonly local: NodeName },
    ports: { readonly keys: KeyDirectory | undefined },
  ) {
    this.#local = options.local;
    this.#keys = ports.keys;
  }

  async resolve(
    lookup: string,
    algorithm: string,
    type: string,
  ): Promise<string> {
    const identity = parseIdentity(lookup, this.#local);
    const write = writers.get(type);
    if (algorithm !== "ecdsa:secp256k1" || write === undefined)
      throw notSupported(`A verifier ${type} for ${algorithm}`);
    const key = await this.#keys?.publicKeyOf(identity);
    if (key === undefined)
      throw new UserError("PD099008", `No key is known for ${lookup}`);
    return write(key);
  }
}

const writers: ReadonlyMap<string, (key: string) => string> = new Map([
  ["eth_address", (key: string) => computeAddress(key).toLowerCase()],
  ["eth_address_checksum", (key: string) => getAddress(computeAddress(key))],
  ["hex_ecdsa_pubkey_uncompressed", (key: string) => key.slice(4)],
  ["hex_ecdsa_pubkey_uncompressed_0x", (key: string) => `0x${key.slice(4)}`],
]);
