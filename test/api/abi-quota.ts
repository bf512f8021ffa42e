import { expect } from "chai";

import { Database } from "../../src/store/database.ts";
import { userTables } from "../../src/store/user-tables.ts";
import { AbiLibrary, type AbiLimits } from "../../src/api/abi-library.ts";
import { UserBook } from "../../src/api/book.ts";
import { UserError } from "../../src/api/errors.ts";

function libraryWith(limits: AbiLimits): AbiLibrary {
  const database = new Database(
    { file: ":memory:" },
    { migrations: userTables },
  );
  const book = new UserBook({ database, now: () => 0 });
  return new AbiLibrary({ book }, limits);
}

function abi(name: string): readonly { type: string; name: string }[] {
  return [{ type: "error", name }];
}

async function keyOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) return error.key;
    throw error;
  }
  return "none";
}

describe("the quota of stored ABIs", () => {
  it("refuses one more than are allowed, and takes those again that it has", async () => {
    const library = libraryWith({ abis: 2, bytes: 1_000 });
    const first = await library.store(abi("First"));
    await library.store(abi("Second"));
    expect(await keyOf(library.store(abi("Third")))).to.equal("PD099016");
    expect(await library.store(abi("First"))).to.equal(first);
    expect(await library.find({ limit: 9 })).to.have.length(2);
  });

  it("refuses more bytes than are allowed", async () => {
    const size = JSON.stringify(abi("First")).length;
    const library = libraryWith({ abis: 9, bytes: size + 1 });
    await library.store(abi("First"));
    expect(await keyOf(library.store(abi("Other")))).to.equal("PD099016");
  });
});
