import {
  type Domain,
  type DomainCall,
  DomainRefusal,
  type DomainState,
} from "hardhat-sequencer/domain";

// A register that a group keeps together: private values by key, and every member may change them. Whoever changes a value
// spends the state that holds the old one, so the ledger never takes two changes of the same state. (Nobody spends anything
// for the first value of a key: two members may set it at the same time, and the next change replaces both.)

interface Entry {
  readonly key: string;
  readonly value: string;
}

const SCHEMA = "entry";

/** The domain `register`: `set` is an intent, `get` a question. */
export const register: Domain = {
  name: "register",
  mode: "elected",
  abi: [
    {
      type: "function",
      name: "set",
      stateMutability: "nonpayable",
      inputs: [
        { name: "key", type: "string" },
        { name: "value", type: "string" },
      ],
      outputs: [],
    },
    {
      type: "function",
      name: "get",
      stateMutability: "view",
      inputs: [{ name: "key", type: "string" }],
      outputs: [
        { name: "value", type: "string" },
        { name: "entries", type: "uint256" },
      ],
    },
  ],
  checkGroup: () => undefined,
  // What a user asks becomes a text, which all members see and check.
  check: ({ args }) => {
    const entry = { key: String(args["key"]), value: String(args["value"]) };
    if (entry.key === "") throw new DomainRefusal("A key must not be empty.");
    return { payload: JSON.stringify(entry), touches: undefined };
  },
  // The sender's node: which states to spend, and which to create.
  assemble: ({ payload }, view) => {
    const entry = readEntry(payload);
    if (entry === undefined)
      return { type: "reverted", reason: "The intent is no entry." };
    const old = [...view.find(SCHEMA, entry.key)];
    return {
      type: "assembled",
      inputs: old.map(({ id }) => id),
      reads: [],
      outputs: [{ schema: SCHEMA, label: entry.key, data: { ...entry } }],
    };
  },
  // Every endorser: undefined if the step does what its user asked for, and nothing else.
  endorse: ({ payload, inputs, reads, outputs }) => {
    const entry = readEntry(payload);
    const [output, ...more] = outputs;
    if (entry === undefined || output === undefined) return "there is no entry";
    if (more.length > 0 || reads.length > 0)
      return "there is more than an entry";
    if (!isEntry(output, entry)) return "it is another entry";
    return inputs.every(({ label }) => label === entry.key)
      ? undefined
      : "it spends another key";
  },
  query: ({ args }: DomainCall, view) => {
    const found = [...view.find(SCHEMA, String(args["key"]))];
    const data = found.at(-1)?.data as Entry | undefined;
    return { value: data?.value ?? "", entries: String(found.length) };
  },
  isEntitled: () => true,
  isRetryable: () => true,
};

/** Payloads come from other organisations, too. */
function readEntry(payload: string): Entry | undefined {
  try {
    const { key, value } = JSON.parse(payload) as Partial<Entry>;
    return typeof key === "string" && typeof value === "string"
      ? { key, value }
      : undefined;
  } catch {
    return undefined;
  }
}

function isEntry({ schema, label, data }: DomainState, entry: Entry): boolean {
  return (
    schema === SCHEMA &&
    label === entry.key &&
    JSON.stringify(data) === JSON.stringify(entry)
  );
}
