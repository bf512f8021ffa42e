import path from "node:path";

import pg from "pg";

import { checkLog } from "../../../src/replica/check.ts";
import type { PostgresServer } from "../../helpers/postgres.ts";

interface Turn {
  readonly sequence: number;
  readonly epoch: number;
  readonly hash: string;
}

/** Looks at the log of the node again and again: it only grows, by turns of one epoch after the other. */
export class LogWatch {
  readonly #server: PostgresServer;
  readonly #options: { readonly schema: string; readonly folder: string };
  #last: Turn = { sequence: 0, epoch: 0, hash: "" };

  constructor(
    options: { readonly schema: string; readonly folder: string },
    ports: { readonly server: PostgresServer },
  ) {
    this.#options = options;
    this.#server = ports.server;
  }

  get turns(): number {
    return this.#last.sequence;
  }

  get epoch(): number {
    return this.#last.epoch;
  }

  /** All that is wrong with the log. */
  async look(): Promise<readonly string[]> {
    const { schema, folder } = this.#options;
    const client = new pg.Client({ connectionString: this.#server.url });
    await client.connect();
    const problems: string[] = [];
    try {
      const file = path.join(folder, "checked.db");
      await checkLog(client, { schema, bucket: 0, file }, (fact) => {
        if (fact.type === "damage") problems.push(fact.problem);
      });
      problems.push(...(await this.#follow(client)));
    } finally {
      await client.end();
    }
    return problems;
  }

  /** Turns after the last look, which must still be where it was. */
  async #follow(client: pg.Client): Promise<readonly string[]> {
    const problems: string[] = [];
    const { rows } = await client.query<{
      readonly sequence: string;
      readonly epoch: string;
      readonly hash: Buffer;
    }>(
      `SELECT sequence, epoch, hash FROM ${this.#options.schema}.turn WHERE sequence >= $1 ORDER BY sequence`,
      [this.#last.sequence],
    );
    for (const row of rows) {
      const turn = {
        sequence: Number(row.sequence),
        epoch: Number(row.epoch),
        hash: row.hash.toString("hex"),
      };
      const before = this.#last;
      if (turn.epoch < before.epoch)
        problems.push(
          `turn ${turn.sequence} is of epoch ${turn.epoch}, after one of epoch ${before.epoch}`,
        );
      if (turn.sequence === before.sequence && turn.hash !== before.hash)
        problems.push(`turn ${turn.sequence} is another one than before`);
      this.#last = turn;
    }
    return problems;
  }
}
