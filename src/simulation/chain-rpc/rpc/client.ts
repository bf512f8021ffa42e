import type { ChainClient } from "../../../chain/ports.ts";
import { CarefulRequests } from "../../../chain/client/careful.ts";
import { deadlineOf } from "../../../chain/client/limits.ts";
import { RateLimit } from "../../../chain/client/rate-limit.ts";
import type { Timers } from "../../../async/timers.ts";
import type { Random } from "../../random.ts";
import type { SimulatedLedger } from "../ledger.ts";
import { type EndpointOptions, SimulatedEndpoint } from "./endpoint.ts";

/** How a node reaches the simulated chain. */
export interface SimulatedClientOptions extends Partial<EndpointOptions> {
  /** The most that any answer may take; by default what clients over HTTP allow. */
  readonly timeoutMs?: number;
  /** Whether it tells of new heads, as over a WebSocket. Otherwise nodes must ask. */
  readonly tellsHeads?: boolean;
  /** Called for every request that is sent. */
  readonly onRequest?: (method: string) => void;
}

export interface SimulatedClientPorts {
  readonly ledger: SimulatedLedger;
  readonly timers: Timers;
  /** Of this client alone, so that the requests of others do not shift what it draws. */
  readonly random: Random;
}

/** A client, and the endpoint behind it with the switches of its faults. */
export interface SimulatedClient extends ChainClient {
  readonly endpoint: SimulatedEndpoint;
}

/**
 * The simulated chain for one node. Requests go through the part of the real client that gives up after a deadline and pauses
 * for endpoints that want fewer requests; only the wire is simulated. Same seed and same requests, same answers.
 */
export function chainClientOf(
  { ledger, timers, random }: SimulatedClientPorts,
  options: SimulatedClientOptions = {},
): SimulatedClient {
  const { timeoutMs = Infinity, tellsHeads = false, onRequest } = options;
  const endpoint = new SimulatedEndpoint(options, { ledger, timers, random });
  const requests = new CarefulRequests(
    {
      name: "the simulated chain",
      deadlineOf: (method) => deadlineOf(method, timeoutMs),
    },
    {
      attempt: endpoint.attempt,
      timers,
      rateLimit: new RateLimit({ timers }),
      onRequest: onRequest ?? (() => undefined),
    },
  );
  const unsubscribe = new Set<() => void>();
  return {
    endpoint,
    request: requests.request,
    onHead: (listener) => {
      if (!tellsHeads) return () => undefined;
      const end = endpoint.onHead(listener);
      unsubscribe.add(end);
      return () => {
        unsubscribe.delete(end);
        end();
      };
    },
    close: async () => {
      for (const end of unsubscribe) end();
      requests.close();
      await Promise.resolve();
    },
  };
}
