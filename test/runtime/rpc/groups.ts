import { expect } from "chai";

import { call } from "../../helpers/rpc/client.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { groupsSuite } from "../../helpers/rpc/groups-suite.ts";

groupsSuite("with a fake node", startFake);

describe("a group that the node refuses", () => {
  it("has a receipt that says why", async () => {
    const { httpUrl, node, stop } = await startFake();
    const group = await call<{ genesisTransaction: string }>(
      httpUrl,
      "pgroup_createGroup",
      { domain: "toy", members: ["a@nowhere"] },
    );
    expect(node.wanted).to.equal(1);
    node.refuseGroups("Nobody knows the node nowhere");
    const receipt = await call(
      httpUrl,
      "ptx_getTransactionReceipt",
      group.genesisTransaction,
    );
    expect(receipt).to.include({
      failureMessage: "Nobody knows the node nowhere",
    });
    expect(receipt).to.not.have.property("success");
    await stop();
  });
});
