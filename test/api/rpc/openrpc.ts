import { readFileSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { rpcDocs } from "../../../scripts/rpc-docs.ts";
import { methods } from "../../../src/api/rpc/methods.ts";
import { call, post } from "../../helpers/rpc/client.ts";
import { openRpcDocument } from "../../helpers/rpc/document.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { findMismatch } from "../../helpers/rpc/json-schema.ts";

describe("the OpenRPC document", () => {
  it("is up to date, like the table of methods", async () => {
    for (const [name, text] of await rpcDocs()) {
      const file = path.resolve(import.meta.dirname, "../../../docs", name);
      expect(readFileSync(file, "utf8"), name).to.equal(text);
    }
  });

  it("has every method of the server, and no other", async () => {
    const { httpUrl, stop } = await startFake();
    const told = await call<typeof openRpcDocument>(httpUrl, "rpc.discover");
    expect(told).to.deep.equal(openRpcDocument);
    const names = told.methods.map(({ name }) => name);
    expect(names).to.deep.equal(methods.map(({ name }) => name));
    expect(new Set(names).size).to.equal(names.length);
    for (const method of names) {
      const answer = await post(httpUrl, {
        jsonrpc: "2.0",
        id: 1,
        method,
        params: ["too", "many", "of", "them"],
      });
      expect(JSON.stringify(answer), method).to.match(/PD020703/);
    }
    await stop();
  });

  it("refers to nothing that is not there, and says nothing that nobody checks", () => {
    const { schemas } = openRpcDocument.components;
    const names = JSON.stringify(openRpcDocument).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    );
    for (const [, name = ""] of names) expect(schemas).to.have.property(name);
    for (const schema of Object.values(schemas))
      expect(findMismatch(null, schema, schemas) ?? "").to.not.match(
        /nobody knows/,
      );
  });
});
