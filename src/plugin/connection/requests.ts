import { setImmediate } from "node:timers/promises";

import type { Member } from "../../runtime/cluster/member.ts";
import type { Node } from "../../runtime/node/node.ts";
import type { ChainClient } from "../../runtime/ports.ts";
import type { Api } from "../../runtime/rpc/api.ts";
import type { Dispatcher } from "../../runtime/rpc/dispatcher.ts";
import type { UserBook } from "../../runtime/users/book.ts";
import { SequencerError } from "../errors.ts";

/** A node's methods, for as long as the node is up. */
interface Methods {
  readonly api: Api;
  readonly dispatcher: Dispatcher;
}

interface RequestsPorts {
  readonly member: Member;
  /** The users' book of the node since its last start. */
  readonly book: () => UserBook | undefined;
  readonly client: ChainClient;
}

/** The JSON-RPC of a node for tests in the same process: everything but the port. */
export class Requests {
  readonly #ports: RequestsPorts;
  readonly #load = { inFlight: 0 };
  #open:
    { readonly node: Node; readonly methods: Promise<Methods> } | undefined;
  /** What the node's log would say. */
  #fault: unknown;

  constructor(ports: RequestsPorts) {
    this.#ports = ports;
  }

  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { dispatcher } = await this.#opened();
    // As over a network, whoever asks again and again leaves the others time to work.
    await setImmediate();
    const request = { jsonrpc: "2.0", id: 1, method, params };
    const text = await dispatcher.handle(
      JSON.stringify(request, withBigInts),
      this.#load,
    );
    const answer = JSON.parse(text ?? "{}") as {
      readonly result?: unknown;
      readonly error?: { readonly message: string };
    };
    if (answer.error === undefined) return answer.result;
    const fault = this.#fault;
    this.#fault = undefined;
    throw new SequencerError(
      "REFUSED",
      { reason: answer.error.message },
      fault instanceof Error ? fault : undefined,
    );
  }

  /** The node goes down. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    (await open?.methods)?.api.stop();
  }

  /** After a restart the node is another one. */
  async #opened(): Promise<Methods> {
    const { node } = this.#ports.member;
    if (this.#open?.node !== node) {
      const closed = this.close();
      const methods = closed.then(async () => await this.#create(node));
      this.#open = { node, methods };
    }
    return await this.#open.methods;
  }

  /** Most tests never ask, so what it takes is loaded only now. */
  async #create(node: Node): Promise<Methods> {
    const [{ createApi }, { Dispatcher: Rpc }, { methods }, { rpcLimits }] =
      await Promise.all([
        import("../../runtime/rpc/api.ts"),
        import("../../runtime/rpc/dispatcher.ts"),
        import("../../runtime/rpc/methods.ts"),
        import("../../runtime/rpc/limits.ts"),
      ]);
    const { book, client: chain } = this.#ports;
    const users = book();
    if (users === undefined) throw new Error(`${node.name} has no book.`);
    const report = (error: unknown): void => {
      this.#fault = error;
    };
    const api = createApi({ service: node, book: users, chain, report });
    api.start();
    const options = { limits: rpcLimits, methods };
    return { api, dispatcher: new Rpc(options, { api, report }) };
  }
}

/** Amounts are written as decimal digits. */
function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
