import type { Api } from "./api.ts";

/** Why a server does not answer for its node. */
export interface Unavailable {
  /** For users, as in `alice/r2 is passive; r1 is active`. */
  readonly why: string;
  /** Where the active replica answers, if it is known. */
  readonly activeUrl?: string | undefined;
}

/** A request that is not answered. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  readonly activeUrl: string | undefined;

  constructor({ why, activeUrl }: Unavailable) {
    super(why);
    this.activeUrl = activeUrl;
  }
}

/** The time in which one API is served. */
export interface Serving {
  readonly api: Api;
  /** Calls back when it ends. Gives what forgets the callback. */
  readonly onEnd: (call: (error: UnavailableError) => void) => () => void;
}

/**
 * What requests go through on their way to an API, which comes and goes with the role of a replica. Each is asked twice for: before
 * it begins, and before its answer leaves.
 */
export class ApiGate {
  readonly #ask: () => Unavailable | undefined;
  #serving: Serving | undefined;
  #end: (error: UnavailableError) => void = () => undefined;
  #why: Unavailable = { why: "The node has not started yet" };

  /** @param ask Asked at every request, for what is true at this moment only, such as the age of a lease. */
  constructor(ask: () => Unavailable | undefined = () => undefined) {
    this.#ask = ask;
  }

  /** Starts to answer with an API. */
  serve(api: Api): void {
    if (this.#serving !== undefined)
      throw new Error("An API is served already. Pause first.");
    const calls = new Set<(error: UnavailableError) => void>();
    this.#end = (error) => {
      for (const call of [...calls]) call(error);
    };
    this.#serving = {
      api,
      onEnd: (call) => {
        calls.add(call);
        return () => {
          calls.delete(call);
        };
      },
    };
  }

  /** Requests that are under way are refused at once. Gives the API that was served. */
  pause(why: Unavailable): Api | undefined {
    const api = this.#serving?.api;
    this.#why = why;
    this.#serving = undefined;
    this.#end(lateError(why));
    this.#end = () => undefined;
    return api;
  }

  /** Why nothing is answered now. */
  unavailable(): Unavailable | undefined {
    return this.#serving === undefined ? this.#why : this.#ask();
  }

  /** Throws an {@link UnavailableError} if nothing is answered now. */
  enter(): Serving {
    const unavailable = this.unavailable();
    if (unavailable !== undefined || this.#serving === undefined)
      throw new UnavailableError(unavailable ?? this.#why);
    return this.#serving;
  }

  /** Why an answer of this API must not leave. */
  refusalOf(serving: Serving): UnavailableError | undefined {
    const unavailable = this.unavailable();
    if (unavailable !== undefined) return lateError(unavailable);
    return serving === this.#serving ? undefined : lateError(restarted);
  }
}

/** The API went and came again while a request was under way. */
const restarted: Unavailable = { why: "The node has started again" };

/** Of a request that had begun. */
function lateError({ why, activeUrl }: Unavailable): UnavailableError {
  return new UnavailableError({
    why: `${why}. The request may have been carried out`,
    activeUrl,
  });
}

/** Rejects with an {@link UnavailableError} as soon as the API is not served any more. */
export async function whileServed<Result>(
  serving: Serving,
  work: Promise<Result>,
): Promise<Result> {
  let forget: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    forget = serving.onEnd(reject);
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    forget();
  }
}
