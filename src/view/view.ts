import type { RunFact } from "./facts.ts";
import { toJson } from "./json.ts";
import { createNews } from "./news.ts";
import { Live, sizeOf, type Terminal } from "./live.ts";
import { toLines } from "./plain.ts";
import { screenOf } from "./screen.ts";
import { emptyView, reduce } from "./state.ts";

/** Where facts go. */
export interface View {
  readonly tell: (fact: RunFact) => void;
  /** How often it wants to know what nodes are doing. */
  readonly statusEveryMs: number;
  /** Leaves the terminal as it was. */
  readonly close: () => void;
}

/** Where to show things, and how. */
export interface ViewPorts {
  readonly stream: Terminal & { readonly isTTY?: boolean };
  readonly now: () => number;
  /** Runs again and again, until it is called off. */
  readonly every: (ms: number, run: () => void) => () => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Fast enough to look alive, slow enough to be read. */
const redrawMs = 200;
const statusEveryMs = 1_000;

/** A live screen on a terminal, plain lines in a pipe, JSON for machines. */
export function openView(
  options: { readonly json: boolean; readonly environment: Environment },
  ports: ViewPorts,
): View {
  const { json, environment } = options;
  const isLive = ports.stream.isTTY === true && environment["TERM"] !== "dumb";
  if (!json && isLive) return liveView(environment, ports);
  const isNews = createNews();
  return {
    statusEveryMs,
    tell: (fact) => {
      const news = isNews(fact) ? toLines(fact) : [];
      const lines = json ? [toJson(fact)] : news;
      if (lines.length > 0) ports.stream.write(`${lines.join("\n")}\n`);
    },
    close: () => undefined,
  };
}

function liveView(
  environment: Environment,
  { stream, now, every }: ViewPorts,
): View {
  const hasColor = hasColorIn(environment);
  const isAscii = isAsciiIn(environment);
  const live = new Live({ hasColor }, { terminal: stream });
  const isNews = createNews();
  let state = emptyView(now());
  const draw = (): void => {
    const size = sizeOf(stream);
    live.draw(screenOf({ ...state, nowMs: now() }, { isAscii, ...size }));
  };
  const stopDrawing = every(redrawMs, draw);
  return {
    statusEveryMs: redrawMs,
    tell: (fact) => {
      if (!isNews(fact)) return;
      state = reduce(state, fact, now());
      if (fact.type !== "summary") return;
      stopDrawing();
      draw();
      live.close();
      stream.write(`\n${toLines(fact).join("\n")}\n`);
    },
    close: () => {
      stopDrawing();
      live.close();
    },
  };
}

/** https://no-color.org */
export function hasColorIn(environment: Environment): boolean {
  return (environment["NO_COLOR"] ?? "") === "";
}

/** Whether the user's language settings say that nothing but ASCII can be shown. */
export function isAsciiIn(environment: Environment): boolean {
  const locale = ["LC_ALL", "LC_CTYPE", "LANG"]
    .map((name) => environment[name] ?? "")
    .find((value) => value !== "");
  return locale === "C" || locale === "POSIX";
}
