import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";

import { expect } from "chai";
import { computeAddress, Transaction } from "ethers";

import { parseAddress, parseHex } from "../../src/ledger/index.ts";
import { KeyError } from "../../src/keys/key-error.ts";
import { createWallet, walletOf } from "../../src/keys/wallet.ts";
import { loadWallet, walletFileName } from "../../src/keys/wallet-file.ts";
import { temporaryDirectory } from "../helpers/stores.ts";

const secret = Buffer.alloc(32, 7);

describe("a wallet", () => {
  it("gives the same key to the same name, and others to others", () => {
    const [one, two] = [walletOf(secret), walletOf(secret)];
    const other = createWallet();
    const names = ["alice", "alicf", "Alice", "alice.1", "a"];
    const keys = names.map((name) => one.keyOf(name).publicKey);
    expect(names.map((name) => two.keyOf(name).publicKey)).to.deep.equal(keys);
    const all = [...keys, ...names.map((name) => other.keyOf(name).publicKey)];
    expect(new Set(all).size).to.equal(2 * names.length);
  });

  it("derives keys as it always did", () => {
    // Whoever changes this takes away what users own.
    expect(walletOf(secret).keyOf("alice").address).to.equal(
      "0x254882ab213f0209b6c9126c5962cf61e29d7e8b",
    );
  });

  it("signs with the key that it tells", async () => {
    const key = createWallet().keyOf("alice");
    const raw = await key.signTransaction({
      chainId: 1n,
      nonce: 0,
      to: parseAddress(`0x${"ab".repeat(20)}`),
      data: parseHex("0x"),
      value: 0n,
      gasLimit: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    });
    expect(Transaction.from(raw).from?.toLowerCase()).to.equal(key.address);
    expect(computeAddress(key.publicKey).toLowerCase()).to.equal(key.address);
    expect(key.publicKey).to.match(/^0x04[0-9a-f]{128}$/);
  });

  it("shows neither its secret nor its keys", () => {
    const wallet = walletOf(secret);
    const shown = [wallet, wallet.keyOf("alice")]
      .map(
        (one) =>
          inspect(one, { depth: 9, showHidden: true, getters: true }) +
          JSON.stringify(one) +
          Object.values(one).map(String).join(),
      )
      .join();
    expect(shown).to.not.include(secret.toString("hex").slice(0, 12));
    expect(shown).to.not.include("07 07 07");
    expect(shown).to.not.match(/"0x[0-9a-f]{64}"/);
  });
});

describe("a wallet in a file", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file = "";
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, walletFileName);
  });
  afterEach(() => {
    directory.remove();
  });
  const load = (): ReturnType<typeof loadWallet> =>
    loadWallet({ directory: directory.path });

  it("is made once, and has the same keys ever after", () => {
    const { address } = load().keyOf("alice");
    expect(load().keyOf("alice").address).to.equal(address);
    expect(readdirSync(directory.path)).to.deep.equal([walletFileName]);
  });

  it("is for its owner only", () => {
    // Windows has other permissions.
    if (process.platform === "win32") return;
    load();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    chmodSync(file, 0o640);
    expect(load)
      .to.throw(KeyError, `chmod 600 ${file}`)
      .with.property("code", "EXPOSED");
  });

  it("is neither replaced nor shown when it is damaged", () => {
    load();
    const whole = readFileSync(file, "utf8");
    for (const damaged of [whole.slice(0, 50), `${whole}00`, "", "secret"]) {
      writeFileSync(file, damaged);
      let thrown: unknown;
      try {
        load();
      } catch (error) {
        thrown = error;
      }
      expect(thrown)
        .to.be.instanceOf(KeyError)
        .with.property("code", "INVALID");
      expect(inspect(thrown, { depth: 9 })).to.not.include(whole.slice(0, 12));
      expect(readFileSync(file, "utf8")).to.equal(damaged);
    }
  });
});
