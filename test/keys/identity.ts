import { verify } from "node:crypto";
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

import {
  createIdentity,
  encodePublicKey,
  parsePublicKey,
} from "../../src/keys/identity.ts";
import {
  identityFileName,
  loadIdentity,
} from "../../src/keys/identity-file.ts";
import { KeyError } from "../../src/keys/key-error.ts";
import { temporaryDirectory } from "../helpers/stores.ts";

const message = Buffer.from("a message");

describe("an identity", () => {
  it("signs what its public key verifies", () => {
    const { publicKey, sign } = createIdentity();
    const signature = sign(message);
    expect(signature).to.have.length(64);
    expect(verify(null, message, publicKey, signature)).to.equal(true);
    const other = createIdentity();
    expect(verify(null, message, other.publicKey, signature)).to.equal(false);
  });

  it("has a public key that can be passed on", () => {
    const { publicKey } = createIdentity();
    const passed = parsePublicKey(encodePublicKey(publicKey));
    expect(passed.equals(publicKey)).to.equal(true);
    expect(() => parsePublicKey("0x12")).to.throw("public key");
  });
});

describe("an identity in a file", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file = "";
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, identityFileName);
  });
  afterEach(() => {
    directory.remove();
  });

  const load = (): ReturnType<typeof loadIdentity> =>
    loadIdentity({ directory: directory.path });

  it("is made once, and is the same ever after", () => {
    const first = load();
    expect(load().publicKey.equals(first.publicKey)).to.equal(true);
    expect(readdirSync(directory.path)).to.deep.equal([identityFileName]);
  });

  it("is for its owner only", function () {
    if (process.platform === "win32") this.skip();
    load();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(file, mode);
      expect(load)
        .to.throw(KeyError, `chmod 600 ${file}`)
        .with.property("code", "EXPOSED");
    }
  });

  it("is not replaced when it is damaged", () => {
    load();
    const damaged = readFileSync(file, "utf8").slice(0, 60);
    writeFileSync(file, damaged);
    let thrown: unknown;
    try {
      load();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).to.be.instanceOf(KeyError).with.property("code", "INVALID");
    // Neither the error nor what it prints has the key in it.
    const secret = damaged.split("\n")[1] ?? "";
    expect(secret).to.have.length.greaterThan(10);
    expect(inspect(thrown, { depth: 9 })).to.not.include(secret);
    expect(readFileSync(file, "utf8")).to.equal(damaged);
  });

  it("needs a directory", () => {
    expect(() => loadIdentity({ directory: join(directory.path, "none") }))
      .to.throw(KeyError)
      .with.property("code", "UNREADABLE");
  });

  it("does not show its private key", () => {
    const identity = load();
    const [, secret = ""] = readFileSync(file, "utf8").split("\n");
    const raw = Buffer.from(secret, "base64").subarray(-32);
    const shown =
      inspect(identity, { depth: 9, showHidden: true, getters: true }) +
      JSON.stringify(identity) +
      String(identity.sign);
    for (const encoding of ["hex", "base64", "base64url"] as const)
      expect(shown).to.not.include(raw.toString(encoding).slice(0, 20));
  });
});
