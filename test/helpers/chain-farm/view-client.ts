import type { ChainClient } from "../../../src/chain/ports.ts";
import type { ChainRecord, RecordedBlock } from "./record.ts";
import { answerAt } from "./view.ts";

/** One backend, whose view of the chain the test chooses; without a choice it is the newest. */
export class ViewClient implements ChainClient {
  readonly #record: ChainRecord;
  head: RecordedBlock | undefined;
  /** Answers instead, unless it gives undefined. */
  instead: (
    method: string,
    params: readonly unknown[],
  ) => Promise<unknown> | undefined = () => undefined;
  readonly asked: string[] = [];

  constructor(record: ChainRecord) {
    this.#record = record;
  }

  readonly request: ChainClient["request"] = async (method, params) => {
    this.asked.push(method);
    const instead = this.instead(method, params);
    if (instead !== undefined) return await instead;
    return await this.answer(method, params);
  };

  /** The answer of the chosen view. */
  readonly answer: ChainClient["request"] = async (method, params) => {
    await this.#record.sync();
    const head = this.head ?? this.#record.heads.at(-1);
    if (head === undefined) throw new Error("The chain has no head.");
    return await answerAt(head, this.#record.client, method, params);
  };

  readonly onHead: ChainClient["onHead"] = () => () => undefined;

  readonly close: ChainClient["close"] = async () => {
    await Promise.resolve();
  };
}
