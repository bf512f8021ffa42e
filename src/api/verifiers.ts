import { computeAddress, getAddress } from "ethers";

import type { NodeService } from "../node/service.ts";
import { notSupported, UserError } from "./errors.ts";
import { parseIdentity } from "./identity.ts";

/** By what others can check who somebody is. */
export class Verifiers {
  readonly #service: Pick<NodeService, "name" | "publicKeyOf">;

  constructor(ports: {
    readonly service: Pick<NodeService, "name" | "publicKeyOf">;
  }) {
    this.#service = ports.service;
  }

  async resolve(
    lookup: string,
    algorithm: string,
    type: string,
  ): Promise<string> {
    const identity = parseIdentity(lookup, this.#service.name);
    const write = writers.get(type);
    if (algorithm !== "ecdsa:secp256k1" || write === undefined)
      throw notSupported(`A verifier ${type} for ${algorithm}`);
    const key = await this.#service.publicKeyOf(identity);
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
