import type { ChainClient } from "../ports.ts";
import { machineTimers } from "../../async/timers.ts";

/** A chain that answers ends what is under way within this time. */
const graceMs = 1_000;

/** Stops those who use clients, then closes the clients: earlier if a chain that does not answer is in the way. */
export async function stopThenClose(
  stop: () => Promise<void>,
  clients: readonly ChainClient[],
): Promise<void> {
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
  };
  const cancel = machineTimers.after(graceMs, () => void close());
  try {
    await stop();
  } finally {
    cancel();
    await close();
  }
}
