import { expect } from "chai";

import { outputStateIds, type StateId } from "../../src/ledger/index.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { type ChainClient, ChainError } from "../../src/chain/ports.ts";
import { openTestLedger, type TestGroup } from "../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../helpers/submitter-rig.ts";
import {
  type Node,
  startAnvil,
  startHardhatNode,
} from "../plugin/helpers/processes.ts";

const nodes: Record<string, (port?: number) => Promise<Node>> = {
  "Hardhat's node": startHardhatNode,
  Anvil: startAnvil,
};

for (const [name, startNode] of Object.entries(nodes))
  for (const protocol of ["http:", "ws:"])
    describe(`runtime: submitter on ${name} over ${protocol}`, function () {
      this.timeout(120_000);

      let node: Node;
      let rig: SubmitterRig;
      let open: ChainClient;
      let isAway: boolean;
      let group: TestGroup;
      let submit: () => void;
      const confirmed = (): number =>
        rig.index.transitionsOf(group.address).length;

      beforeEach(async () => {
        node = await startNode();
        rig = new SubmitterRig([aPayer(5)]);
        open = openChainClient(node.url.replace("http:", protocol));
        isAway = false;
        const client: ChainClient = {
          ...open,
          request: async (method, params) => {
            if (isAway) throw new ChainError("unreachable", "It is away.");
            return await open.request(method, params);
          },
        };
        group = await (await openTestLedger(client)).createGroup();
        let inputs: readonly StateId[] = [];
        submit = () => {
          const endorsed = group.endorse({ inputs });
          inputs = outputStateIds(endorsed.transition);
          rig.submit(group, endorsed);
        };
        rig.start(client, [group], { resendMs: 500 });
      });

      afterEach(async () => {
        await rig.stop();
        await open.close();
        await node.stop();
      });

      it("gets calls mined in order, and again on a chain that went back", async () => {
        const snapshot = await open.request("evm_snapshot", []);
        for (let i = 0; i < 30; i++) submit();
        await rig.index.until(() => confirmed() === 30);
        expect(rig.failures).to.deep.equal([]);

        isAway = true;
        for (let i = 0; i < 5; i++) submit();
        await rig.index.until(() => rig.index.troubles.length > 0);
        await open.request("evm_revert", [snapshot]);
        isAway = false;
        await rig.index.until(() => rig.index.reverts.length > 0);
        await rig.index.until(() => confirmed() === 35);
        expect(rig.failures).to.deep.equal([]);
      });

      it("says that a chain that was made anew is another one, and follows nothing of it", async () => {
        submit();
        await rig.index.until(() => confirmed() === 1);
        rig.index.lastCreation = group.block;

        await node.stop();
        node = await startNode(Number(new URL(node.url).port));
        await rig.index.until(() =>
          rig.index.troubles.some(
            (trouble) =>
              trouble?.message.startsWith("This is another chain") === true,
          ),
        );
        expect(rig.index.reverts).to.deep.equal([]);
        expect(confirmed()).to.equal(1);
      });
    });
