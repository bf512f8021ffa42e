import { expect } from "chai";

import { findProblems, repair } from "../../scripts/lockfile.ts";

const edr = "node_modules/@nomicfoundation/edr";

describe("lockfile check", () => {
  it("finds nothing wrong with a lockfile that works everywhere", () => {
    const packages = {
      "": {},
      [edr]: { optionalDependencies: { "@nomicfoundation/edr-x": "1.0.0" } },
      [`${edr}-x`]: {},
    };
    expect(findProblems({ packages })).to.deep.equal([]);
  });

  it("names engines of the chain, addresses of a registry, and missing platforms", () => {
    const packages = {
      [edr]: {
        engines: { node: ">= 22" },
        optionalDependencies: { "@nomicfoundation/edr-x": "1.0.0" },
      },
      "node_modules/a": { resolved: "somewhere", engines: { node: ">= 22" } },
    };
    expect(findProblems({ packages })).to.have.length(3);
  });

  it("finds an optional package in any folder where Node would", () => {
    const packages = {
      "node_modules/a/node_modules/b": { optionalDependencies: { c: "1.0.0" } },
      "node_modules/a/node_modules/c": {},
    };
    expect(findProblems({ packages })).to.deep.equal([]);
  });

  it("repairs all but what is missing", () => {
    const packages = {
      [edr]: {
        engines: {},
        resolved: "somewhere",
        optionalDependencies: { gone: "1.0.0" },
      },
    };
    repair({ packages });
    expect(findProblems({ packages })).to.deep.equal([
      `${edr} names gone, which is missing`,
    ]);
  });
});
