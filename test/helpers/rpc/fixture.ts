import { type Api, createApi } from "../../../src/api/rpc/api.ts";
import type { Unavailable } from "../../../src/api/rpc/gate.ts";
import { type RpcOptions, RpcServer } from "../../../src/api/rpc/server.ts";
import type { ChainClient } from "../../../src/chain/ports.ts";
import { Database } from "../../../src/store/database.ts";
import type { OpenDisk } from "../../../src/store/disk.ts";
import { userTables } from "../../../src/store/user-tables.ts";
import { UserBook } from "../../../src/api/book.ts";
import { FakeNode } from "./fake-node.ts";
import { toyDomain } from "./toy-domain.ts";

/** A node with its RPC, as the suites need it. A real node can stand behind it as well as a fake one. */
export interface RpcFixture {
  readonly httpUrl: string;
  readonly webSocketUrl: string;
  /** A group of the domain "toy". */
  readonly group: string;
  /** Everything that was submitted ends, and every group that is wanted is created. */
  readonly settle: () => Promise<void>;
  /** Errors that the server reported. */
  readonly errors: readonly unknown[];
  /** Ends the server, and starts another one on the same store. */
  readonly restart: () => Promise<RpcFixture>;
  readonly stop: () => Promise<void>;
}

export interface FixtureOptions {
  readonly rpc?: Partial<RpcOptions>;
  readonly chain?: ChainClient;
  readonly openDisk?: OpenDisk;
  readonly unavailable?: () => Unavailable | undefined;
}

export type RpcFactory = (options?: FixtureOptions) => Promise<RpcFixture>;

/** A fake node. */
export interface FakeFixture extends RpcFixture {
  readonly node: FakeNode;
  readonly book: UserBook;
  readonly database: Database;
  readonly server: RpcServer;
  /** One more API of the same node, as after another activation. */
  readonly newApi: () => Api;
  readonly restart: () => Promise<FakeFixture>;
}

/** A server in front of a fake node with one group. */
export async function startFake(
  options: FixtureOptions = {},
): Promise<FakeFixture> {
  const database = new Database(
    { file: ":memory:" },
    {
      migrations: userTables,
      ...(options.openDisk && { openDisk: options.openDisk }),
    },
  );
  let time = Date.parse("2026-01-01T00:00:00Z");
  const book = new UserBook({ database, now: () => time++ });
  const node = new FakeNode({ domains: [toyDomain] }, { database, book });
  const { address } = node.addGroup({
    id: `0x${"ab".repeat(32)}`,
    name: "first",
    domain: "toy",
    members: [node.name],
    threshold: 1,
    configuration: {},
  });
  const serve = async (): Promise<FakeFixture> => {
    const errors: unknown[] = [];
    const report = (error: unknown): void => {
      errors.push(error);
    };
    const { chain, unavailable } = options;
    const newApi = (): Api => createApi({ service: node, book, chain, report });
    const server = new RpcServer(
      { httpPort: 0, webSocketPort: 0, ...options.rpc },
      { report, unavailable },
    );
    server.serve(newApi());
    const urls = await server.start();
    return {
      ...urls,
      server,
      newApi,
      group: address,
      node,
      book,
      database,
      errors,
      settle: async () => {
        await node.mine();
      },
      restart: async () => {
        await server.stop();
        return await serve();
      },
      stop: async () => {
        await server.stop();
        database.close();
      },
    };
  };
  return await serve();
}
