/** One number of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape tells, with a way to look things up. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  /** The value of one series; undefined if it is not there. */
  readonly value: (
    name: string,
    labels?: Readonly<Record<string, string>>,
  ) => number | undefined;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y;

/** Reads the text format of Prometheus, as strictly as Prometheus does or more. Throws at the first fault. */
export function parseExposition(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("The last line does not end.");
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  let family = "";
  for (const line of text.split("\n")) {
    if (line === "" || HELP.test(line)) continue;
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} comes twice.`);
      types.set(typed, type);
      family = typed;
      continue;
    }
    const [, name, labelText = "", number] = SAMPLE.exec(line) ?? [];
    if (name === undefined || number === undefined)
      throw new Error(`This is no line: ${line}`);
    const base =
      types.get(family) === "histogram"
        ? name.replace(/_(bucket|sum|count)$/, "")
        : name;
    if (base !== family) throw new Error(`${name} is not in its family.`);
    const labels = parseLabels(labelText);
    const key = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`${line} comes twice.`);
    seen.add(key);
    samples.push({ name, labels, value: parseValue(number) });
  }
  return {
    types,
    samples,
    value: (name, labels = {}) =>
      samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(
            ([label, value]) => sample.labels[label] === value,
          ),
      )?.value,
  };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let read = 0;
  while (read < text.length) {
    LABEL.lastIndex = read;
    const [whole, name, value] = LABEL.exec(text) ?? [];
    if (whole === undefined || name === undefined || value === undefined)
      throw new Error(`These are no labels: ${text}`);
    labels[name] = value;
    read += whole.length;
  }
  return labels;
}

function parseValue(text: string): number {
  if (/^\+?Inf$/.test(text)) return Infinity;
  if (/^nan$/i.test(text)) return NaN;
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`This is no number: ${text}`);
  return value;
}
