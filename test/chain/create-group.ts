import { expect } from "chai";
import hre from "hardhat";

import { buildGroupConfig, parseBytes32 } from "../../src/ledger/index.ts";
import { groupAddress } from "../../src/plugin/deployment/addresses.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { createGroup } from "../../src/chain/create-group.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { signersInOrder } from "../helpers/keys.ts";
import { openTestLedger, type TestLedger } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";

describe("runtime: creation of groups", function () {
  this.timeout(30_000);

  let client: ChainClient;
  let ledger: TestLedger;
  let rig: SubmitterRig;
  const [first, second] = [aPayer(5), aPayer(6)];
  const config = buildGroupConfig({
    members: signersInOrder(3).map(({ address }) => address),
    threshold: 2,
    externalCalls: false,
  });
  const salt = parseBytes32(`0x${"5a".repeat(32)}`);
  beforeEach(async () => {
    client = openChainClient((await hre.network.create()).provider);
    ledger = await openTestLedger(client);
    rig = new SubmitterRig([first, second]);
    rig.start(client, []);
  });
  afterEach(async () => {
    await rig.stop();
  });
  const create = async (
    payer = first.address,
  ): ReturnType<typeof createGroup> => {
    const { factory } = ledger;
    const { database, submitter } = rig;
    const ports = { client, database, submitter };
    return await createGroup({ factory, payer, config, salt }, ports);
  };

  it("creates a group where the factory says", async () => {
    const { address, block } = await create();
    const expected = groupAddress(ledger.factory, first.address, config, salt);
    expect(address).to.equal(expected.toLowerCase());
    expect(await ledger.chain.codeAt(address)).to.match(/^0x363d/);
    expect(block).to.equal((await ledger.chain.header("latest"))?.number);
    expect(rig.failures).to.deep.equal([]);
  });

  it("finds the group when it is asked again, also when it has forgotten", async () => {
    const created = await create();
    await ledger.createGroup();
    expect(await create()).to.deep.equal(created);
    await rig.stop();
    rig.database.write(() => rig.database.run("DELETE FROM submissions"));
    rig.start(client, []);
    expect(await create()).to.deep.equal(created);
    expect((await create(second.address)).address).not.to.equal(
      created.address,
    );
  });

  it("creates it once when it is asked twice at the same time", async () => {
    const [one, two] = await Promise.all([create(), create()]);
    expect(one).to.deep.equal(two);
    expect(rig.failures).to.deep.equal([]);
  });

  it("says why there is no group", async () => {
    const { factory } = ledger;
    const { database, submitter } = rig;
    const wrong = { ...config, threshold: 3 };
    await client.request("hardhat_setCode", [
      groupAddress(factory, first.address, wrong, salt),
      "0x01",
    ]);
    const ports = { client, database, submitter };
    const options = { factory, payer: first.address, config: wrong, salt };
    let reason = "";
    await createGroup(options, ports).catch((error: unknown) => {
      reason = String(error);
    });
    expect(reason).to.match(/the factory did not create it/);
  });
});
