import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { encodePublicKey } from "../../../src/keys/identity.ts";
import { loadIdentity } from "../../../src/keys/identity-file.ts";
import { openChainClient } from "../../../src/chain/client/open.ts";
import { publishedAccount } from "../../helpers/accounts.ts";
import { call } from "../../helpers/rpc/client.ts";
import { openTestLedger } from "../../helpers/runtime-ledger.ts";
import { PortFinder } from "../../torture/harness/network/ports.ts";
import { NodeProcess } from "../../torture/harness/processes/node-process.ts";
import { until } from "../../torture/harness/processes/until.ts";
import {
  type Node as ChainProcess,
  startHardhatNode,
} from "../../plugin/helpers/processes.ts";

const deadlineMs = 90_000;
const names = ["alice", "bob", "carol"];

/** Nodes in processes of their own, two of which must endorse. */
describe("plugin: sequencer:node after its database is lost", function () {
  this.timeout(300_000);
  let folder: string;
  let chain: ChainProcess;
  let group: string;
  const nodes = new Map<string, NodeProcess>();
  const statusPorts = new Map<string, number>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "lost-database-"));
    chain = await startHardhatNode();
    const client = openChainClient(chain.url);
    const { factory } = await openTestLedger(client);
    await client.close();
    const ports = new PortFinder();
    const peers: Record<string, object> = {};
    for (const [index, name] of names.entries()) {
      const directory = join(folder, name);
      mkdirSync(directory, { mode: 0o700 });
      peers[name] = {
        address: `127.0.0.1:${await ports.find()}`,
        key: encodePublicKey(loadIdentity({ directory }).publicKey),
        endorser: publishedAccount(index + 1).address,
      };
    }
    for (const name of names) {
      const statusPort = await ports.find();
      statusPorts.set(name, statusPort);
      nodes.set(
        name,
        new NodeProcess(
          {
            name,
            dataDir: folder,
            rpcPort: await ports.find(2),
            statusPort,
            chainUrl: chain.url,
            config: { networks: { torture: { factory } }, peers, pollMs: 100 },
            outDir: folder,
          },
          { onLine: () => undefined, onExit: () => undefined },
        ),
      );
    }
    await Promise.all(names.map(launch));
    group = await createGroup();
  });

  after(async () => {
    for (const node of nodes.values()) if (node.isUp) await node.kill();
    await chain.stop();
    rmSync(folder, { recursive: true });
  });

  function node(name: string): NodeProcess {
    const found = nodes.get(name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return found;
  }

  async function launch(name: string): Promise<void> {
    node(name).launch();
    await node(name).answers();
  }

  async function lose(name: string): Promise<void> {
    await node(name).kill();
    for (const end of ["", "-wal", "-shm"])
      rmSync(join(folder, name, `node.db${end}`), { force: true });
  }

  async function addressIn(name: string, id: string): Promise<string> {
    return await until(
      { what: `${name} is in the group`, deadlineMs },
      async () => {
        const found = await call<{
          readonly contractAddress: string | null;
        } | null>(node(name).url, "pgroup_getGroupById", "group-token", id);
        return found?.contractAddress ?? undefined;
      },
    );
  }

  async function createGroup(): Promise<string> {
    const { id } = await call<{ readonly id: string }>(
      node("alice").url,
      "pgroup_createGroup",
      {
        domain: "group-token",
        name: "all",
        members: names.map((name) => `member@${name}`),
        configuration: { threshold: "2" },
      },
    );
    for (const name of names) await addressIn(name, id);
    return await addressIn("alice", id);
  }

  async function rejoined(name: string): Promise<void> {
    await until({ what: `${name} is in the group`, deadlineMs }, async () => {
      const { groups } = await call<{
        readonly groups: readonly { readonly address: string }[];
      }>(node(name).url, "sequencer_status");
      return groups.some(({ address }) => address === group) || undefined;
    });
  }

  /** Whether an intent of the node happened. */
  async function mint(name: string): Promise<boolean> {
    const { url } = node(name);
    const id = await call<string>(url, "ptx_sendTransaction", {
      type: "private",
      from: "member",
      to: group,
      abi: [
        {
          type: "function",
          name: "mint",
          inputs: [
            { name: "to", type: "string" },
            { name: "amount", type: "uint256" },
          ],
        },
      ],
      function: "mint",
      data: ["pot", 1],
    });
    const receipt = await until(
      { what: "a receipt", deadlineMs },
      async () =>
        (await call<{ readonly success?: true } | null>(
          url,
          "ptx_getTransactionReceipt",
          id,
        )) ?? undefined,
    );
    return receipt.success === true;
  }

  /** What `/ready` says if the node is not; undefined if it is. */
  async function unreadinessOf(name: string): Promise<string | undefined> {
    const port = statusPorts.get(name) ?? 0;
    const response = await fetch(`http://127.0.0.1:${port}/ready`);
    const text = await response.text();
    return response.status === 200 ? undefined : text;
  }

  it("rejoins its group, and sends and endorses as before", async () => {
    expect(await mint("carol")).to.equal(true);
    await lose("carol");
    await launch("carol");
    await rejoined("carol");
    expect(await mint("carol")).to.equal(true);
    // Without bob, nothing happens that carol does not endorse.
    await node("bob").kill();
    expect(await mint("alice")).to.equal(true);
    await launch("bob");
  });

  it("is not ready without enough members that can be reached, and says why", async () => {
    await node("bob").kill();
    await node("carol").kill();
    const why = await until(
      { what: "it is not ready", deadlineMs },
      async () => await unreadinessOf("alice"),
    );
    expect(why).to.include("no-quorum").and.include("1 of the 2");
    await launch("bob");
    await until(
      { what: "it is ready", deadlineMs },
      async () => (await unreadinessOf("alice")) === undefined || undefined,
    );
    await launch("carol");
  });

  it("rejoins when all but one of the members have lost theirs", async () => {
    await lose("bob");
    await lose("carol");
    await Promise.all(["bob", "carol"].map(launch));
    expect(await mint("alice")).to.equal(true);
    for (const name of ["bob", "carol"]) {
      await rejoined(name);
      expect(await mint(name)).to.equal(true);
    }
  });
});
