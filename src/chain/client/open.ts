import { ChainError, type ChainClient } from "../ports.ts";
import { machineTimers, type Timers } from "../../async/timers.ts";
import { CarefulRequests, type Attempt } from "./careful.ts";
import { openHttp } from "./http.ts";
import { clientLimits, deadlineOf } from "./limits.ts";
import { attemptWith, type Eip1193Provider, watchHeads } from "./provider.ts";
import { RateLimit } from "./rate-limit.ts";
import { endpointOf, type Endpoint } from "./secrets.ts";
import { WebSocketClient } from "./web-socket.ts";

/** How to speak to a chain. */
export interface ChainClientOptions {
  /** The most that any answer may take. Most requests have less time, see `limits.ts`. */
  readonly timeoutMs?: number;
  /** Headers of HTTP, besides those that the URL asks for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Tells of new blocks, where requests go over HTTP: `ws:` or `wss:`. */
  readonly webSocketUrl?: string | undefined;
  /** The most bytes of an answer over HTTP. */
  readonly answerBytesMax?: number;
  readonly timers?: Timers;
  /** Clients of one endpoint share it. */
  readonly rateLimit?: RateLimit;
  /** Called for every request that is sent. */
  readonly onRequest?: (method: string) => void;
}

/** Opens a chain: at `http:`, `https:`, `ws:` or `wss:`, or behind a provider. Nothing is asked yet. */
export function openChainClient(
  source: string | Eip1193Provider,
  options: ChainClientOptions = {},
): ChainClient {
  if (typeof source !== "string") return openProvider(source, options);
  const endpoint = endpointOf(source);
  if (endpoint !== undefined && /^https?:$/.test(endpoint.url.protocol))
    return openOverHttp(endpoint, options);
  if (endpoint !== undefined && /^wss?:$/.test(endpoint.url.protocol))
    return openWebSocket(endpoint, options);
  throw new ChainError(
    "refused",
    "The address of the chain must begin with http:, https:, ws: or wss:.",
  );
}

function openProvider(
  provider: Eip1193Provider,
  options: ChainClientOptions,
): ChainClient {
  const { timeoutMs = clientLimits.providerMs } = options;
  const requests = careful(
    { name: "the chain", deadlineOf: () => timeoutMs },
    attemptWith(provider),
    options,
  );
  const heads = watchHeads(provider, requests.request);
  return {
    request: requests.request,
    onHead: heads.onHead,
    close: async () => {
      heads.close();
      requests.close();
      await Promise.resolve();
    },
  };
}

function openOverHttp(
  { headers, ...endpoint }: Endpoint,
  options: ChainClientOptions,
): ChainClient {
  const { timeoutMs = Infinity, webSocketUrl } = options;
  const { answerBytesMax = clientLimits.answerBytes } = options;
  const http = openHttp(
    { answerBytesMax },
    {
      endpoint: { ...endpoint, headers: { ...options.headers, ...headers } },
      onRepeat: options.onRequest ?? (() => undefined),
    },
  );
  const { name } = endpoint;
  const requests = careful(
    { name, deadlineOf: (method) => deadlineOf(method, timeoutMs) },
    http.attempt,
    options,
  );
  const { webSocketUrl: _, ...others } = options;
  const heads =
    webSocketUrl === undefined
      ? undefined
      : openChainClient(webSocketUrl, others);
  return {
    request: requests.request,
    onHead: heads?.onHead ?? (() => () => undefined),
    close: async () => {
      requests.close();
      http.close();
      await heads?.close();
    },
  };
}

function openWebSocket(
  endpoint: Endpoint,
  options: ChainClientOptions,
): ChainClient {
  const { timeoutMs = Infinity, timers = machineTimers } = options;
  return new WebSocketClient(
    {
      deadlineOf: (method) => deadlineOf(method, timeoutMs),
      onRequest: options.onRequest ?? (() => undefined),
    },
    {
      endpoint: {
        ...endpoint,
        headers: { ...options.headers, ...endpoint.headers },
      },
      timers,
      rateLimit: options.rateLimit ?? new RateLimit({ timers }),
    },
  );
}

function careful(
  about: ConstructorParameters<typeof CarefulRequests>[0],
  attempt: Attempt,
  options: ChainClientOptions,
): CarefulRequests {
  const { timers = machineTimers } = options;
  const { rateLimit = new RateLimit({ timers }) } = options;
  const { onRequest = () => undefined } = options;
  return new CarefulRequests(about, { attempt, timers, rateLimit, onRequest });
}
