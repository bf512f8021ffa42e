import { ChainError, type ChainClient } from "../../ports.ts";
import { machineTimers, type Timers } from "../../timers.ts";
import { openHttpClient } from "./http.ts";
import { type Eip1193Provider, openProviderClient } from "./provider.ts";
import { endpointOf } from "./secrets.ts";
import { WebSocketClient } from "./web-socket.ts";

/** How to speak to a chain. */
export interface ChainClientOptions {
  /** How long an answer may take. The default suits a slow search for logs. */
  readonly timeoutMs?: number;
  readonly timers?: Timers;
}

const TIMEOUT_MS = 30_000;

/** Opens a chain: at `http:`, `https:`, `ws:` or `wss:`, or behind a provider. Nothing is asked yet. */
export function openChainClient(
  source: string | Eip1193Provider,
  { timeoutMs = TIMEOUT_MS, timers = machineTimers }: ChainClientOptions = {},
): ChainClient {
  if (typeof source !== "string") return openProviderClient(source);
  const endpoint = endpointOf(source);
  if (endpoint !== undefined && /^https?:$/.test(endpoint.url.protocol))
    return openHttpClient({ timeoutMs }, { endpoint });
  if (endpoint !== undefined && /^wss?:$/.test(endpoint.url.protocol))
    return new WebSocketClient({ timeoutMs }, { endpoint, timers });
  throw new ChainError(
    "refused",
    "The address of the chain must begin with http:, https:, ws: or wss:.",
  );
}
