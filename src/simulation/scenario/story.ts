import type { Digest, IntentId, NodeName } from "../../protocol/ids.ts";
import { describeMessage, Names } from "../transcript.ts";
import type { Letter } from "./links.ts";

/** The names that a script uses; bundles are numbered as they appear. */
export class ScriptNames extends Names {
  readonly #names = new Map<IntentId, string>();
  readonly #digests = new Map<Digest, string>();

  name(id: IntentId, name: string): void {
    this.#names.set(id, name);
  }

  override of(id: IntentId): string {
    return this.#names.get(id) ?? id;
  }

  override digest(digest: Digest): string {
    const known = this.#digests.get(digest);
    if (known !== undefined) return known;
    const name = `#${this.#digests.size + 1}`;
    this.#digests.set(digest, name);
    return name;
  }

  /** A sentence with names instead of ids. */
  inText(text: string): string {
    let result = text;
    for (const [id, name] of this.#names) result = result.replaceAll(id, name);
    return result;
  }
}

const arrows = { delivered: "→", held: "…", lost: "✕" } as const;

/** Writes the transcript. Heartbeats that repeat the one before, and lead to nothing, are left out. */
export class Story {
  readonly names = new ScriptNames();
  readonly #lines: string[] = [];
  readonly #width: number;
  readonly #lastHeartbeat = new Map<string, string>();
  #tick = 0;
  #shownTick = 0;
  /** A line that is only written if another one follows from it. */
  #withheld: string | undefined;

  constructor(nodes: readonly NodeName[]) {
    this.#width = Math.max(...nodes.map(({ length }) => length));
  }

  command(line: string): void {
    this.#withheld = undefined;
    this.#shownTick = this.#tick;
    if (this.#lines.length > 0) this.#lines.push("");
    this.#lines.push(`> ${line}`);
  }

  passTick(): void {
    this.#tick += 1;
    this.#withheld = undefined;
  }

  /** Something about one node. */
  tell(who: string, text: string): void {
    this.flush();
    this.#write(`${who.padEnd(this.#width * 2 + 5)}${text}`);
  }

  letter(
    { from, to, message }: Letter,
    fate: "delivered" | "held" | "lost",
    remark = "",
  ): void {
    this.#withheld = undefined;
    const arrow = `${from.padEnd(this.#width)} ${arrows[fate]} ${to.padEnd(this.#width)}`;
    const line = `${arrow}  ${describeMessage(message, this.names).trimEnd()}${remark}`;
    if (message.type === "Heartbeat") {
      const key = line.replace(/ block=\d+/, "");
      const link = `${from}>${to}`;
      const isRepeated = this.#lastHeartbeat.get(link) === key;
      this.#lastHeartbeat.set(link, key);
      if (isRepeated) {
        this.#withheld = line;
        return;
      }
    }
    this.#write(line);
  }

  /** What was left out led to something. */
  flush(): void {
    const line = this.#withheld;
    this.#withheld = undefined;
    if (line !== undefined) this.#write(line);
  }

  #write(line: string): void {
    if (this.#tick !== this.#shownTick) this.#lines.push(`tick ${this.#tick}`);
    this.#shownTick = this.#tick;
    this.#lines.push(line.trimEnd());
  }

  toString(): string {
    return this.#lines.join("\n") + "\n";
  }
}
