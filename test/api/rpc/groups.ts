import { expect } from "chai";

import { call } from "../../helpers/rpc/client.ts";
import { startFake } from "../../helpers/rpc/fixture.ts";
import { groupsSuite } from "../../helpers/rpc/groups-suite.ts";

groupsSuite("with a fake node", startFake);

describe("a group that the node refuses", () => {
  it("has a receipt that says why, and is not among the groups", async () => {
    const { httpUrl, node, stop } = await startFake();
    const group = await call<{ id: string; genesisTransaction: string }>(
      httpUrl,
      "pgroup_createGroup",
      { domain: "toy", members: ["a@node1"] },
    );
    expect(node.wanted).to.equal(1);
    const names = async (): Promise<readonly unknown[]> =>
      (
        await call<{ id: string }[]>(httpUrl, "pgroup_queryGroups", {
          limit: 9,
        })
      ).map(({ id }) => id);
    expect(await names()).to.include(group.id);
    node.refuseGroups("This node has nobody who pays");
    const receipt = await call(
      httpUrl,
      "ptx_getTransactionReceipt",
      group.genesisTransaction,
    );
    expect(receipt).to.include({
      failureMessage: "This node has nobody who pays",
    });
    expect(receipt).to.not.have.property("success");
    expect(await names())
      .to.have.length(1)
      .and.not.include(group.id);
    expect(
      await call(httpUrl, "pgroup_queryGroupsWithMember", "a@node1", {
        limit: 9,
      }),
    ).to.deep.equal([]);
    // Its creator still finds out what became of it.
    expect(
      await call(httpUrl, "pgroup_getGroupById", "toy", group.id),
    ).to.include({ contractAddress: null });
    await stop();
  });
});
