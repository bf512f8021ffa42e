import { parseCount } from "../../../chain/values.ts";
import { ChainError } from "../../../chain/ports.ts";
import type { Block } from "../block.ts";
import type { LogAnswer } from "./forms.ts";

interface LogSource {
  /** The number of the newest block. */
  readonly head: number;
  readonly byHash: (hash: unknown) => Block | undefined;
  readonly byNumber: (number: number) => Block | undefined;
  readonly logsOf: (block: Block) => readonly LogAnswer[];
}

/** Answers `eth_getLogs`. A node that is late answers with what it has, and says nothing of the rest. */
export function findLogs(
  filter: unknown,
  source: LogSource,
): readonly LogAnswer[] {
  const field = (name: string): unknown =>
    Reflect.get(Object(filter), name) as unknown;
  const isWanted = matcherOf(field("address"), field("topics"));
  return blocksOf(field, source).flatMap((block) =>
    source.logsOf(block).filter(isWanted),
  );
}

function blocksOf(
  field: (name: string) => unknown,
  source: LogSource,
): readonly Block[] {
  const hash = field("blockHash");
  if (hash !== undefined) {
    const block = source.byHash(hash);
    if (block === undefined)
      throw new ChainError("refused", "unknown block", { code: -32000 });
    return [block];
  }
  const numberOf = (tag: unknown): number => {
    if (tag === "earliest") return 0;
    if (typeof tag !== "string" || !tag.startsWith("0x")) return source.head;
    return Math.min(parseCount(tag), source.head + 1);
  };
  const [from, to] = [numberOf(field("fromBlock")), numberOf(field("toBlock"))];
  const blocks: Block[] = [];
  for (let number = from; number <= Math.min(to, source.head); number++) {
    const block = source.byNumber(number);
    if (block !== undefined && block.transactions.length > 0)
      blocks.push(block);
  }
  return blocks;
}

function matcherOf(
  address: unknown,
  topics: unknown,
): (log: LogAnswer) => boolean {
  const addresses = address === undefined ? undefined : textsOf(address);
  const wanted = (Array.isArray(topics) ? (topics as unknown[]) : []).map(
    (topic) => (topic === null ? undefined : textsOf(topic)),
  );
  return (log) =>
    (addresses === undefined || addresses.has(log.address)) &&
    wanted.every((accepted, i) => {
      const topic = log.topics[i];
      return (
        accepted === undefined || (topic !== undefined && accepted.has(topic))
      );
    });
}

/** One text, or any of several. */
function textsOf(value: unknown): ReadonlySet<string> {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return new Set(values.map((one) => String(one).toLowerCase()));
}
