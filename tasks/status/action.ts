import { setTimeout as pause } from "node:timers/promises";

import { toJson } from "../../src/view/json.ts";
import { words } from "../../src/view/line.ts";
import { Live } from "../../src/view/live.ts";
import { isDown, type StatusFact, statusLines } from "../../src/view/status.ts";
import { leaveMs } from "../shared/close-or-leave.ts";
import { onInterrupt } from "../shared/signals.ts";
import {
  type StatusOptions,
  type StatusSource,
  statusSource,
} from "./ask-status.ts";
import { watchStatus } from "./watch.ts";

type Show = (facts: readonly StatusFact[]) => void;

/** Often enough to see something happen, and little work for the nodes. */
const refreshMs = 1_000;

/** The action of `sequencer:status`. */
export default async function status({
  json,
  watch,
  ...options
}: StatusOptions & {
  readonly json: boolean;
  readonly watch: boolean;
}): Promise<readonly StatusFact[]> {
  const source = statusSource(options);
  const print: Show = (facts) => {
    const lines = json ? facts.map(toJson) : statusLines(facts);
    console.log(lines.join("\n"));
  };
  const isLive =
    !json && process.stdout.isTTY && process.env["TERM"] !== "dumb";
  let facts: readonly StatusFact[];
  if (!watch) {
    facts = await source.ask();
    print(facts);
  } else if (isLive) facts = await watchLive(source);
  else facts = await watchUntilInterrupted(source, print);
  if (facts.some(isDown)) process.exitCode = 1;
  return facts;
}

/** Draws over what it drew before. */
async function watchLive(source: StatusSource): Promise<readonly StatusFact[]> {
  const live = new Live({ hasColor: false }, { terminal: process.stdout });
  try {
    return await watchUntilInterrupted(source, (facts) => {
      live.draw([...statusLines(facts), "", "Ctrl-C stops"].map(words));
    });
  } finally {
    live.close();
  }
}

async function watchUntilInterrupted(
  source: StatusSource,
  show: Show,
): Promise<readonly StatusFact[]> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const forget = onInterrupt(() => {
    stop();
    // A node that does not answer is not waited for.
    setTimeout(() => process.exit(), leaveMs).unref();
  });
  try {
    return await watchStatus(source, {
      show,
      pause: async () => {
        await pause(refreshMs);
      },
      stopped,
    });
  } finally {
    forget();
  }
}
