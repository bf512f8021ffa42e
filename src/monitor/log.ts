import type { Writable } from "node:stream";

import type { NodeFact } from "../node/ports.ts";
import { monitorLimits } from "./limits.ts";
import {
  type LogFields,
  type LogLevel,
  logLevels,
  logLineOf,
} from "./log-lines.ts";
import { publicError } from "./public-text.ts";

/**
 * Writes one JSON object for each line. It never throws, and never waits: lines that nobody takes are lost, and counted. What
 * users do is told by ids only.
 */
export class NodeLog {
  readonly #node: string;
  readonly #levelMin: number;
  readonly #stream: Writable;
  readonly #now: () => Date;
  #lost = 0;
  #lostUntold = 0;

  constructor(
    options: {
      readonly node: string;
      /** What is less is not written; "info" unless told. */
      readonly level?: LogLevel | undefined;
    },
    ports: {
      readonly stream: Writable;
      readonly now?: (() => Date) | undefined;
    },
  ) {
    this.#node = options.node;
    this.#levelMin = logLevels.indexOf(options.level ?? "info");
    this.#stream = ports.stream;
    this.#now = ports.now ?? (() => new Date());
    // A pipe whose reader is gone would end the process.
    this.#stream.on("error", () => {
      this.#lost += 1;
    });
  }

  /** Lines that nobody took. */
  get linesLost(): number {
    return this.#lost;
  }

  /** To be called with every fact of the node. */
  readonly see = (fact: NodeFact): void => {
    this.#guarded(() => {
      const { level, event, fields } = logLineOf(fact);
      this.#write(level, event, fields);
    });
  };

  /** Something went wrong. */
  readonly fail = (event: string, error: unknown): void => {
    this.#guarded(() => {
      this.#write("error", event, { ...publicError(error) });
    });
  };

  /** Anything else that happens around the node. Nothing private belongs in it. */
  readonly note = (
    level: LogLevel,
    event: string,
    fields: LogFields = {},
  ): void => {
    this.#guarded(() => {
      this.#write(level, event, fields);
    });
  };

  #write(level: LogLevel, event: string, fields: LogFields): void {
    if (logLevels.indexOf(level) < this.#levelMin) return;
    const stream = this.#stream;
    if (!stream.writable || stream.writableLength > monitorLimits.logBytes) {
      this.#lost += 1;
      this.#lostUntold += 1;
      return;
    }
    if (this.#lostUntold > 0) {
      const lines = this.#lostUntold;
      this.#lostUntold = 0;
      stream.write(this.#lineOf("warn", "log-lines-lost", { lines }));
    }
    stream.write(this.#lineOf(level, event, fields));
  }

  #lineOf(level: LogLevel, event: string, fields: LogFields): string {
    const time = this.#now().toISOString();
    // The first four are ours, whatever the fields are called.
    const own = { time, level, node: this.#node, event };
    return `${JSON.stringify({ ...own, ...fields, ...own })}\n`;
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch {
      this.#lost += 1;
    }
  }
}
