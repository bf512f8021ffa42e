import { expect } from "chai";
import type { NetworkConfig } from "hardhat/types/config";

import {
  accountsFor,
  accountWith,
  type AccountsConnection,
} from "../../src/plugin/accounts.ts";
import type { Connection } from "../../tasks/shared/chain.ts";
import { requireFunded } from "../../tasks/shared/funds.ts";
import { publishedWords } from "../helpers/accounts.ts";
import { expectError } from "./helpers/errors.ts";

/** The first two accounts of the published words, as everybody knows them. */
const known = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
];
const key = `0x${"11".repeat(32)}`;

const variable = (value: string) => ({
  get: async () => await Promise.resolve(value),
  getHexString: async () => await Promise.resolve(value),
});

function aConnection(
  accounts: unknown,
  own: readonly string[] = [],
): AccountsConnection {
  return {
    networkName: "chain",
    networkConfig: { accounts } as NetworkConfig,
    provider: { request: async () => await Promise.resolve(own) },
  };
}

const addresses = async (
  connection: AccountsConnection,
  count: number,
): Promise<string[]> =>
  (await accountsFor(connection, count)).map(({ address }) => address);

describe("plugin: accounts of nodes", () => {
  it("come from words, from the index that is configured", async () => {
    const wallet = {
      mnemonic: variable(` ${publishedWords} `),
      passphrase: variable(""),
      path: "m/44'/60'/0'/0/",
      initialIndex: 0,
      count: 20,
    };
    expect(await addresses(aConnection(wallet), 2)).to.deep.equal(known);
    const later = aConnection({ ...wallet, initialIndex: 1 });
    expect(await addresses(later, 1)).to.deep.equal(known.slice(1));
    const few = aConnection({ ...wallet, count: 1 });
    await expectError("ACCOUNTS_TOO_FEW", async () => {
      await accountsFor(few, 2);
    });
  });

  it("come from keys, each for one node", async () => {
    const keys = aConnection([variable(key), variable(key)]);
    expect(await addresses(keys, 1)).to.have.length(1);
    await expectError("ACCOUNT_DUPLICATE", async () => {
      await accountsFor(keys, 2);
    });
    await expectError("ACCOUNTS_TOO_FEW", async () => {
      await accountsFor(keys, 3);
    });
  });

  it("are those that everybody knows, if the chain has them", async () => {
    const test = aConnection("remote", known);
    expect(await addresses(test, 2)).to.deep.equal(known);
    for (const own of [[], known.slice(1)])
      await expectError("KEYS_MISSING", async () => {
        await accountsFor(aConnection("remote", own), 2);
      });
  });

  it("are found by their address", async () => {
    const wallet = aConnection({
      mnemonic: variable(publishedWords),
      passphrase: variable(""),
      path: "m/44'/60'/0'/0",
      initialIndex: 0,
      count: 3,
    });
    const [, second = ""] = known;
    for (const connection of [wallet, aConnection("remote", known)]) {
      const found = await accountWith(connection, second.toLowerCase());
      expect(found?.address).to.equal(second);
    }
    const stranger = `0x${"22".repeat(20)}`;
    expect(await accountWith(wallet, stranger)).to.equal(undefined);
    for (const address of [stranger, second])
      await expectError("KEYS_MISSING", async () => {
        await accountWith(aConnection("remote", [stranger]), address);
      });
  });

  it("must have something to pay with", async () => {
    const connection = {
      networkName: "chain",
      provider: {
        request: async ({ params }: { readonly params: readonly string[] }) =>
          await Promise.resolve(params[0] === known[0] ? "0x1" : "0x0"),
      },
    } as unknown as Connection;
    const [rich, poor] = known.map((address) => ({ address, privateKey: key }));
    if (rich === undefined || poor === undefined) throw new Error("no account");
    await requireFunded(connection, ["alice"], [rich]);
    await expectError("FUNDS_MISSING", async () => {
      await requireFunded(connection, ["alice", "bob"], [rich, poor]);
    });
  });
});
