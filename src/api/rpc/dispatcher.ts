import { pace } from "../pace.ts";
import { codes, explain, internalError, RpcError } from "./errors.ts";
import {
  type ApiGate,
  type Serving,
  UnavailableError,
  whileServed,
} from "./gate.ts";
import type { RpcLimits } from "./limits.ts";
import { BadParam, contextOf, type Method } from "./method.ts";
import { readJson } from "./read-json.ts";
import { idOf, methodOf, parseRequest, type RpcResponse } from "./request.ts";
import type { Session } from "./session.ts";

/** What a connection has under way. */
export interface Load {
  inFlight: number;
}

/** What is answered to a body or a frame. */
export interface Reply {
  /** Undefined if there is nothing to answer. */
  readonly text: string | undefined;
  /** The node did not answer all of it. Somebody else may. */
  readonly isUnavailable: boolean;
}

/** The answer to one request. */
interface Answer {
  readonly id: unknown;
  readonly text: string | undefined;
  /** The API that it comes from; undefined if it needed none. */
  readonly serving?: Serving | undefined;
  readonly isUnavailable?: boolean;
}

/** For whom a method runs. */
interface Caller {
  readonly serving: Serving | undefined;
  readonly session: Session | undefined;
}

/** Turns the text of a request into the text of its answer, whatever the text is. */
export class Dispatcher {
  readonly #limits: RpcLimits;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #standing: ReadonlyMap<string, Method>;
  readonly #gate: ApiGate | undefined;
  readonly #report: (error: unknown) => void;

  constructor(
    options: {
      readonly limits: RpcLimits;
      readonly methods: readonly Method[];
      /** Methods that need no API: they are answered at any time. */
      readonly standing?: readonly Method[];
    },
    ports: {
      /** Without it, all methods are standing. */
      readonly gate?: ApiGate;
      /** Gets errors that are the node's fault. They may hold what users must not see. */
      readonly report: (error: unknown) => void;
    },
  ) {
    this.#limits = options.limits;
    this.#standing = byName(options.standing ?? []);
    this.#methods = new Map([...byName(options.methods), ...this.#standing]);
    this.#gate = ports.gate;
    this.#report = ports.report;
  }

  /** Never rejects. */
  async handle(text: string, load: Load, session?: Session): Promise<Reply> {
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
              this.#requireShort(answer, size),
            ),
        ),
      );
      const sealed = answers.map((answer) => this.#seal(answer));
      const texts = sealed.flatMap(({ text }) => text ?? []);
      const isUnavailable = sealed.some((answer) => answer.isUnavailable);
      if (texts.length === 0) return { text: undefined, isUnavailable };
      return {
        text: Array.isArray(value) ? `[${texts.join(",")}]` : texts[0],
        isUnavailable,
      };
    } catch (error) {
      const unavailable = this.#gate?.unavailable();
      const reason =
        unavailable === undefined ? error : new UnavailableError(unavailable);
      return {
        text: this.#failure(null, reason),
        isUnavailable: unavailable !== undefined,
      };
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
  #requireShort(answer: Answer, size: { characters: number }): Answer {
    const { id, text } = answer;
    size.characters += text?.length ?? 0;
    if (text === undefined || size.characters <= this.#limits.answerCharacters)
      return answer;
    size.characters -= text.length;
    const error = new RpcError(
      codes.internal,
      `PD099004: The answers have more than ${this.#limits.answerCharacters} characters. Ask for less, or in several batches`,
    );
    return { ...answer, text: this.#failure(id, error) };
  }

  /** An answer leaves only if the API that gave it is still served: otherwise it may be old news, or never have been true. */
  #seal(answer: Answer): Answer {
    const { id, text, serving } = answer;
    const refusal = serving && this.#gate?.refusalOf(serving);
    return refusal === undefined
      ? answer
      : {
          id,
          text: text === undefined ? undefined : this.#failure(id, refusal),
          isUnavailable: true,
        };
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
  async #answer(value: unknown, session: Session | undefined): Promise<Answer> {
    const id = idOf(value);
    const name = methodOf(value);
    let serving: Serving | undefined;
    try {
      if (!this.#standing.has(name)) serving = this.#gate?.enter();
      const text = await this.#work(value, serving, session);
      if (text !== undefined && serving !== undefined)
        await whileServed(serving, serving.api.settled());
      return { id, text, serving };
    } catch (error) {
      const isUnavailable = error instanceof UnavailableError;
      const isSilent =
        isUnavailable &&
        session !== undefined &&
        this.#methods.get(name)?.isSilent === true;
      const text = isSilent ? undefined : this.#failure(id, error);
      return { id, text, isUnavailable };
    }
  }

  async #work(
    value: unknown,
    serving: Serving | undefined,
    session: Session | undefined,
  ): Promise<string | undefined> {
    const id = idOf(value);
    try {
      const request = parseRequest(value);
      const method = this.#find(request.method, request.params.length);
      if (method.isSocketOnly && session === undefined)
        throw new RpcError(
          codes.invalid,
          `PD020706: ${method.name} is only available over WebSocket`,
        );
      if (method.isSilent) {
        await this.#runSilently(method, request.params, { serving, session });
        return undefined;
      }
      const result = await this.#run(method, request.params, {
        serving,
        session,
      });
      return await writeResult(id, result ?? null);
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      return this.#failure(id, error);
    }
  }

  /** Clients take every frame without a result for an event, so they are not even told of an error. */
  async #runSilently(
    method: Method,
    params: readonly unknown[],
    caller: Caller,
  ): Promise<void> {
    try {
      await this.#run(method, params, caller);
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
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
    { serving, session }: Caller,
  ): Promise<unknown> {
    const context = contextOf(serving?.api, session);
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
      const ended = Promise.race([work, late]);
      return await (serving === undefined
        ? ended
        : whileServed(serving, ended));
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

function byName(methods: readonly Method[]): ReadonlyMap<string, Method> {
  return new Map(methods.map((method) => [method.name, method]));
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
