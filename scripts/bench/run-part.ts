import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import type { Findings, PartOptions } from "./part.ts";

/** Long enough for the slowest part on a busy machine. One that hangs must not keep the others waiting for ever. */
const TIMEOUT_MS = 30 * 60_000;

const child = path.join(import.meta.dirname, "child.ts");

/**
 * Runs a part in a process of its own: it begins with a clean heap and with nothing compiled, like all others, and if it dies,
 * what the others measured is not lost.
 */
export async function runPart(
  name: string,
  { isQuick, against }: Omit<PartOptions, "tell">,
): Promise<Findings> {
  const running = fork(child, [name], {
    serialization: "advanced",
    timeout: TIMEOUT_MS,
    // What a part prints is progress; only results go to stdout.
    stdio: ["ignore", 2, 2, "ipc"],
  });
  running.send({ isQuick, against });
  let findings: Findings | undefined;
  running.on("message", (message) => {
    findings = message as Findings;
  });
  const [code] = (await once(running, "exit")) as [number | null];
  if (findings !== undefined) return findings;
  console.error(`${name}: ended with ${code ?? "a signal"}`);
  return {
    sections: [],
    goals: [{ name: `${name}, which failed,`, value: NaN, valueMax: 0 }],
  };
}
