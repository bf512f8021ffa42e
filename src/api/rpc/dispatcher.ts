import { pace } from "../pace.ts";
import type { Api } from "./api.ts";
import { codes, explain, internalError, RpcError } from "./errors.ts";
import type { RpcLimits } from "./limits.ts";
import { BadParam, type Context, type Method } from "./method.ts";
import { readJson } from "./read-json.ts";
import { idOf, parseRequest, type RpcResponse } from "./request.ts";
import type { Session } from "./session.ts";

/** What a connection has under way. */
export interface Load {
  inFlight: number;
}

/** Turns the text of a request into the text of its answer, whatever the text is. */
export class Dispatcher {
  readonly #limits: RpcLimits;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #api: Api;
  readonly #report: (error: unknown) => void;

  constructor(
    options: {
      readonly limits: RpcLimits;
      readonly methods: readonly Method[];
    },
    ports: {
      readonly api: Api;
      /** Gets errors that are the node's fault. They may hold what users must not see. */
      readonly report: (error: unknown) => void;
    },
  ) {
    this.#limits = options.limits;
    this.#methods = new Map(
      options.methods.map((method) => [method.name, method]),
    );
    this.#api = ports.api;
    this.#report = ports.report;
  }

  /** Never rejects. Gives undefined if there is nothing to answer. */
  async handle(
    text: string,
    load: Load,
    session?: Session,
  ): Promise<string | undefined> {
    const count = { requests: 0 };
    try {
      const value = await pace.run(() => readJson(text, this.#limits.depth));
      const requests = Array.isArray(value) ? this.#batch(value) : [value];
      this.#admit(requests.length, load);
      count.requests = requests.length;
      const size = { characters: 0 };
      const answers = await Promise.all(
        requests.map(
          async (request) =>
            await this.#answer(request, session).then((answer) =>
              this.#requireShort(request, answer, size),
            ),
        ),
      );
      const spoken = answers.filter((answer) => answer !== undefined);
      if (spoken.length === 0) return undefined;
      return Array.isArray(value) ? `[${spoken.join(",")}]` : spoken[0];
    } catch (error) {
      return this.#failure(null, error);
    } finally {
      load.inFlight -= count.requests;
    }
  }

  #batch(value: readonly unknown[]): readonly unknown[] {
    if (value.length === 0)
      throw new RpcError(codes.invalid, "PD020700: The batch is empty");
    if (value.length > this.#limits.batch)
      throw new RpcError(
        codes.invalid,
        `PD020700: The batch has ${value.length} requests; ${this.#limits.batch} are allowed`,
      );
    return value;
  }

  /** The answers of a batch leave together, and wait in memory for one another. */
  #requireShort(
    request: unknown,
    answer: string | undefined,
    size: { characters: number },
  ): string | undefined {
    size.characters += answer?.length ?? 0;
    if (
      answer === undefined ||
      size.characters <= this.#limits.answerCharacters
    )
      return answer;
    size.characters -= answer.length;
    return this.#failure(
      idOf(request),
      new RpcError(
        codes.internal,
        `PD099004: The answers have more than ${this.#limits.answerCharacters} characters. Ask for less, or in several batches`,
      ),
    );
  }

  #admit(requests: number, load: Load): void {
    if (load.inFlight + requests > this.#limits.inFlight)
      throw new RpcError(
        codes.internal,
        `PD099004: More than ${this.#limits.inFlight} requests of this connection wait for an answer`,
      );
    load.inFlight += requests;
  }

  /** An answer may tell of anything that can be read, also of what a crash would undo: it leaves once that is durable. */
  async #answer(
    value: unknown,
    session: Session | undefined,
  ): Promise<string | undefined> {
    const id = idOf(value);
    const answer = await this.#work(id, value, session);
    if (answer === undefined) return undefined;
    try {
      await this.#api.settled();
      return answer;
    } catch (error) {
      return this.#failure(id, error);
    }
  }

  async #work(
    id: ReturnType<typeof idOf>,
    value: unknown,
    session: Session | undefined,
  ): Promise<string | undefined> {
    try {
      const request = parseRequest(value);
      const method = this.#find(request.method, request.params.length);
      if (method.isSocketOnly && session === undefined)
        throw new RpcError(
          codes.invalid,
          `PD020706: ${method.name} is only available over WebSocket`,
        );
      if (method.isSilent) {
        await this.#runSilently(method, request.params, session);
        return undefined;
      }
      const result = await this.#run(method, request.params, session);
      return await writeResult(id, result ?? null);
    } catch (error) {
      return this.#failure(id, error);
    }
  }

  /** Clients take every frame without a result for an event, so they are not even told of an error. */
  async #runSilently(
    method: Method,
    params: readonly unknown[],
    session: Session | undefined,
  ): Promise<void> {
    try {
      await this.#run(method, params, session);
    } catch (error) {
      if (explain(error) === undefined) this.#report(error);
    }
  }

  #find(name: string, params: number): Method {
    const method = this.#methods.get(name);
    if (method === undefined)
      throw new RpcError(codes.invalid, `PD020702: No method ${name}`);
    if (method.params.length !== params)
      throw new RpcError(
        codes.invalid,
        `PD020703: ${name} takes ${method.params.length} parameters, not ${params}`,
      );
    return method;
  }

  async #run(
    method: Method,
    params: readonly unknown[],
    session: Session | undefined,
  ): Promise<unknown> {
    const context: Context = { api: this.#api, session };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new RpcError(
            codes.internal,
            `PD099005: ${method.name} took longer than ${this.#limits.requestMs} ms; it may still happen`,
          ),
        );
      }, this.#limits.requestMs);
    });
    const work = pace.run(() => method.run(params, context));
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      if (error instanceof BadParam)
        throw new RpcError(
          codes.invalid,
          error.key === undefined
            ? `PD020704: ${method.name}: ${error.message}`
            : error.message,
        );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #failure(id: unknown, error: unknown): string {
    const known = explain(error);
    if (known === undefined) this.#report(error);
    return write({ jsonrpc: "2.0", id, error: known ?? internalError });
  }
}

/** Lists may be long, so they are written one element after the other, with time for others in between. */
async function writeResult(id: unknown, result: unknown): Promise<string> {
  if (!Array.isArray(result)) return write({ jsonrpc: "2.0", id, result });
  const parts: string[] = [];
  for (const element of result) {
    await pace.turn();
    // In a list, something that JSON cannot say is null.
    parts.push(JSON.stringify([element]).slice(1, -1));
  }
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[${parts.join(",")}]}`;
}

function write(response: RpcResponse): string {
  return JSON.stringify(response);
}
