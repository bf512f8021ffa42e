import { join } from "node:path";

import { ReplicaNode, type ReplicaSettings } from "./replica-node.ts";
import { PostgresServer } from "./postgres.ts";
import { newSchema } from "./replica.ts";
import { temporaryDirectory } from "./stores.ts";

type Ports = ConstructorParameters<typeof ReplicaNode>[1];

/** A server for all tests of a suite, and for each a schema and a directory. Replicas are stopped after each test. */
export class ReplicaScene {
  #server: PostgresServer | undefined;
  #directory: ReturnType<typeof temporaryDirectory> | undefined;
  readonly #nodes: ReplicaNode[] = [];
  schema = "";

  constructor() {
    before(async () => {
      this.#server = await PostgresServer.start();
    });
    after(async () => {
      await this.#server?.stop();
    });
    beforeEach(async () => {
      this.schema = await this.nextSchema();
      this.#directory = temporaryDirectory();
    });
    afterEach(async () => {
      for (const { replica } of this.#nodes.splice(0)) await replica.stop();
      this.#directory?.remove();
    });
  }

  get server(): PostgresServer {
    if (this.#server === undefined) throw new Error("There is no server yet.");
    return this.#server;
  }

  /** For another node. */
  async nextSchema(): Promise<string> {
    return await newSchema(this.server);
  }

  fileOf(name: string): string {
    return join(this.#directory?.path ?? "", `${name}.db`);
  }

  readonly aReplica = (
    name: string,
    settings: Partial<ReplicaSettings> = {},
    ports: Ports = {},
  ): ReplicaNode => {
    const { schema } = this;
    const { url } = this.server;
    const node = new ReplicaNode(
      { url, schema, name, file: this.fileOf(name), ...settings },
      ports,
    );
    this.#nodes.push(node);
    return node;
  };

  readonly started = async (
    name: string,
    settings: Partial<ReplicaSettings> = {},
    ports: Ports = {},
  ): Promise<ReplicaNode> => {
    const node = this.aReplica(name, settings, ports);
    await node.replica.start();
    return node;
  };

  readonly active = async (
    name: string,
    settings: Partial<ReplicaSettings> = {},
    ports: Ports = {},
  ): Promise<ReplicaNode> => {
    const node = await this.started(name, settings, ports);
    await node.untilRole("active");
    return node;
  };
}
