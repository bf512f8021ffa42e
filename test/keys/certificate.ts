import { X509Certificate } from "node:crypto";
import { inspect } from "node:util";

import { expect } from "chai";
import fc from "fast-check";

import { selfSigned } from "../../src/keys/certificate.ts";
import { createIdentity, type Identity } from "../../src/keys/identity.ts";

const certificateOf = (identity: Identity, name = "alice"): X509Certificate =>
  new X509Certificate(selfSigned({ name, ...identity }));

describe("the certificate of an identity", () => {
  it("has the key and the name of the identity, and is signed with the key", () => {
    const identity = createIdentity();
    const certificate = certificateOf(identity);
    expect(certificate.publicKey.equals(identity.publicKey)).to.equal(true);
    expect(certificate.subject).to.equal("CN=alice");
    expect(certificate.issuer).to.equal("CN=alice");
    expect(certificate.verify(identity.publicKey)).to.equal(true);
    expect(certificate.verify(createIdentity().publicKey)).to.equal(false);
    expect(certificate.ca).to.equal(false);
  });

  it("is valid at any time", () => {
    const certificate = certificateOf(createIdentity());
    expect(Date.parse(certificate.validFrom)).to.equal(0);
    expect(certificate.validTo).to.equal("Dec 31 23:59:59 9999 GMT");
  });

  it("is the same every time, and another for another key or name", () => {
    const identity = createIdentity();
    const raw = (one: Identity, name: string): string =>
      certificateOf(one, name).raw.toString("hex");
    expect(raw(identity, "alice")).to.equal(raw(identity, "alice"));
    const serials = [
      certificateOf(identity, "alice"),
      certificateOf(identity, "bob"),
      certificateOf(createIdentity(), "alice"),
    ].map(({ serialNumber }) => serialNumber);
    expect(new Set(serials).size).to.equal(3);
  });

  it("can be read for every key and every name", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    fc.assert(
      fc.property(name, (text) => {
        const identity = createIdentity();
        const certificate = certificateOf(identity, text);
        expect(certificate.subject).to.equal(`CN=${text}`);
        expect(certificate.verify(identity.publicKey)).to.equal(true);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("goes into TLS with its private key, which nobody can read again", () => {
    const context = createIdentity().tls("alice");
    const shown = inspect(context, {
      depth: 9,
      showHidden: true,
      getters: true,
    });
    expect(shown + JSON.stringify(context)).to.not.match(
      /PRIVATE|[0-9a-f]{32}/,
    );
  });
});
