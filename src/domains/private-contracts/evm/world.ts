import type { AccountFields, StateManagerInterface } from "@ethereumjs/common";
import { type Account, type Address, createAccount } from "@ethereumjs/util";

import { type Hex, toBytes, toHex } from "../../../ledger/index.ts";
import { type AccountFacts, type Changes, isNobody } from "../changes.ts";
import type { Reader } from "../reader.ts";
import { hashOf, toNumber, toUnpaddedBytes } from "../values.ts";
import { Rollback } from "./rollback.ts";
import { Storages } from "./storages.ts";

const NO_CODE = new Uint8Array();
const noCodeHash = hashOf(NO_CODE);

/** All accounts as a transaction sees them: what it changed, on top of what the states say. */
export class World implements StateManagerInterface {
  readonly #reader: Reader;
  readonly #accounts = new Map<string, AccountFacts | undefined>();
  readonly #codes = new Map<Hex, Uint8Array>();
  /** Code that was there before. To parse it takes long, and contracts may ask for it all the time. */
  readonly #read = new Map<Hex, Uint8Array>();
  readonly #rollback = new Rollback();
  readonly #storages = new Storages({ rollback: this.#rollback });

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  readonly originalStorageCache = {
    get: (address: Address, key: Uint8Array): Promise<Uint8Array> =>
      Promise.resolve(this.#original(address.toString(), key)),
    clear: (): void => undefined,
  };

  /** What a transaction did, once it is over. */
  changes(): Changes {
    return {
      accounts: this.#accounts,
      storages: this.#storages.written,
      cleared: this.#storages.cleared,
      codes: this.#codes,
    };
  }

  getAccount(address: Address): Promise<Account | undefined> {
    const facts = this.#account(address.toString());
    if (facts === undefined) return Promise.resolve(undefined);
    const { nonce, balance, codeHash = noCodeHash } = facts;
    const account = createAccount({ nonce, balance, codeHash });
    return Promise.resolve(account);
  }

  putAccount(address: Address, account?: Account): Promise<void> {
    const facts = account && factsOf(account);
    this.#putAccount(address.toString(), facts);
    return Promise.resolve();
  }

  /** Its storage goes with it. */
  deleteAccount(address: Address): Promise<void> {
    this.#putAccount(address.toString(), undefined);
    return this.clearStorage(address);
  }

  async modifyAccountFields(
    address: Address,
    fields: AccountFields,
  ): Promise<void> {
    const account = (await this.getAccount(address)) ?? createAccount({});
    await this.putAccount(address, Object.assign(account, fields));
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = hashOf(code);
    // It stays when the call that put it here reverts. Then nobody has it.
    this.#codes.set(codeHash, code);
    await this.modifyAccountFields(address, { codeHash: toBytes(codeHash) });
  }

  getCode(address: Address): Promise<Uint8Array> {
    return Promise.resolve(this.#codeOf(address));
  }

  getCodeSize(address: Address): Promise<number> {
    return Promise.resolve(this.#codeOf(address).length);
  }

  getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    const owner = address.toString();
    const value = this.#storages.get(owner, toNumber(key));
    return Promise.resolve(
      value === undefined ? this.#original(owner, key) : toUnpaddedBytes(value),
    );
  }

  putStorage(
    address: Address,
    key: Uint8Array,
    value: Uint8Array,
  ): Promise<void> {
    this.#storages.put(address.toString(), toNumber(key), toNumber(value));
    return Promise.resolve();
  }

  clearStorage(address: Address): Promise<void> {
    this.#storages.clear(address.toString());
    return Promise.resolve();
  }

  checkpoint(): Promise<void> {
    this.#rollback.checkpoint();
    return Promise.resolve();
  }

  commit(): Promise<void> {
    this.#rollback.commit();
    return Promise.resolve();
  }

  revert(): Promise<void> {
    this.#rollback.revert();
    return Promise.resolve();
  }

  clearCaches(): void {
    // Nothing is kept but what is needed.
  }

  getStateRoot(): never {
    throw new Error("Private accounts have no root.");
  }

  setStateRoot(): never {
    throw new Error("Private accounts have no root.");
  }

  hasStateRoot(): never {
    throw new Error("Private accounts have no root.");
  }

  shallowCopy(): never {
    throw new Error("A transaction has one world.");
  }

  #account(address: string): AccountFacts | undefined {
    if (this.#accounts.has(address)) return this.#accounts.get(address);
    const found = this.#reader.account(address)?.value;
    // Accounts that are empty do not exist (EIP-161), and still have a state if they once did.
    return found === undefined || isNobody(found) ? undefined : found;
  }

  #putAccount(address: string, account: AccountFacts | undefined): void {
    const isKnown = this.#accounts.has(address);
    const before = this.#accounts.get(address);
    this.#accounts.set(address, account);
    this.#rollback.add(() => {
      if (isKnown) this.#accounts.set(address, before);
      else this.#accounts.delete(address);
    });
  }

  #codeOf(address: Address): Uint8Array {
    const hash = this.#account(address.toString())?.codeHash;
    if (hash === undefined) return NO_CODE;
    const known = this.#codes.get(hash) ?? this.#read.get(hash);
    const code = known ?? this.#reader.code(hash);
    if (known === undefined) this.#read.set(hash, code);
    return code;
  }

  /** What a slot had before the transaction. */
  #original(address: string, key: Uint8Array): Uint8Array {
    const found = this.#reader.account(address);
    if (found === undefined || this.#storages.cleared.has(address))
      return toUnpaddedBytes(0n);
    const slot = toNumber(key);
    const page = this.#reader.page(address, found.value, slot);
    return toUnpaddedBytes(page?.value.get(slot) ?? 0n);
  }
}

function factsOf({ nonce, balance, codeHash }: Account): AccountFacts {
  const hash = toHex(codeHash);
  return { nonce, balance, codeHash: hash === noCodeHash ? undefined : hash };
}
