import { expect } from "chai";

import { outputStateIds, type StateId } from "../../../src/ledger/index.ts";
import { openChainClient } from "../../../src/runtime/ledger/client/open.ts";
import { type ChainClient, ChainError } from "../../../src/runtime/ports.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import { aPayer, SubmitterRig } from "../../helpers/submitter-rig.ts";
import {
  type Node,
  startAnvil,
  startHardhatNode,
} from "../../plugin/helpers/processes.ts";

const nodes: Record<string, (port?: number) => Promise<Node>> = {
  "Hardhat's node": startHardhatNode,
  Anvil: startAnvil,
};

for (const [name, startNode] of Object.entries(nodes))
  for (const protocol of ["http:", "ws:"])
    describe(`runtime: submitter on ${name} over ${protocol}`, function () {
      this.timeout(120_000);

      it("gets calls mined in order, and again on a chain that was made anew", async () => {
        const node = await startNode();
        const rig = new SubmitterRig([aPayer(5)]);
        const open = openChainClient(node.url.replace("http:", protocol));
        let isAway = false;
        const client: ChainClient = {
          ...open,
          request: async (method, params) => {
            if (isAway) throw new ChainError("unreachable", "It is away.");
            return await open.request(method, params);
          },
        };
        const ledger = await openTestLedger(client);
        const group = await ledger.createGroup();
        const confirmed = (): number =>
          rig.index.transitionsOf(group.address).length;
        let inputs: readonly StateId[] = [];
        const submit = (): void => {
          const endorsed = group.endorse({ inputs });
          inputs = outputStateIds(endorsed.transition);
          rig.submit(group, endorsed);
        };
        rig.start(client, [group], { resendMs: 500 });
        for (let i = 0; i < 30; i++) submit();
        await rig.index.until(() => confirmed() === 30);
        expect(rig.failures).to.deep.equal([]);

        await node.stop();
        isAway = true;
        for (let i = 0; i < 5; i++) submit();
        await rig.index.until(() => rig.index.troubles.length > 0);
        const second = await startNode(Number(new URL(node.url).port));
        // The same accounts and nonces put the same contracts at the same addresses.
        const again = openChainClient(second.url);
        const { address } = await (await openTestLedger(again)).createGroup();
        expect(address).to.equal(group.address);
        isAway = false;
        await rig.index.until(() => rig.index.reverts.length > 0);
        await rig.index.until(() => confirmed() === 35);
        await rig.stop();
        await open.close();
        await again.close();
        await second.stop();
      });
    });
