import { setImmediate } from "node:timers/promises";

import type { Dispatcher } from "../../api/rpc/dispatcher.ts";
import type { Host } from "../../host/host.ts";
import type { Node } from "../../node/node.ts";
import { SequencerError } from "../errors.ts";

/** The JSON-RPC of a node for tests in the same process: everything but the port. */
export class Requests {
  readonly #host: Host;
  readonly #load = { inFlight: 0 };
  /** After a restart the node is another one. */
  #open:
    | { readonly node: Node; readonly dispatcher: Promise<Dispatcher> }
    | undefined;
  /** What the node's log would say. */
  #fault: unknown;

  constructor(host: Host) {
    this.#host = host;
  }

  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { node } = this.#host;
    if (this.#open?.node !== node)
      this.#open = { node, dispatcher: this.#create() };
    const dispatcher = await this.#open.dispatcher;
    // As over a network, whoever asks again and again leaves the others time to work.
    await setImmediate();
    const request = { jsonrpc: "2.0", id: 1, method, params };
    const { text } = await dispatcher.handle(
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

  /** Most tests never ask, so what it takes is loaded only now. */
  async #create(): Promise<Dispatcher> {
    const report = (error: unknown): void => {
      this.#fault = error;
    };
    const [api, { Dispatcher: Rpc }, { ApiGate }, { methods }, { rpcLimits }] =
      await Promise.all([
        this.#host.openApi(report),
        import("../../api/rpc/dispatcher.ts"),
        import("../../api/rpc/gate.ts"),
        import("../../api/rpc/methods.ts"),
        import("../../api/rpc/limits.ts"),
      ]);
    const gate = new ApiGate();
    gate.serve(api);
    return new Rpc({ limits: rpcLimits, methods }, { gate, report });
  }
}

/** Amounts are written as decimal digits. */
function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
