import type { Domain, DomainCall } from "../../../src/domains/domain.ts";

/** Ways in which a domain can fail, as the user of the intent chooses. */
export const faults = [
  "throws",
  "rejects",
  "answers nothing",
  "answers nonsense",
  "answers an unknown type",
  "names no state",
  "creates no JSON",
  "creates too much",
  "creates too many",
  "reverts at length",
  "hangs",
  "throws at endorsers",
  "answers nonsense at endorsers",
  "hangs at endorsers",
] as const;

export type DomainFault = (typeof faults)[number];

const good = {
  type: "assembled",
  inputs: [],
  reads: [],
  outputs: [{ schema: "note", label: "note", data: "good" }],
} as const;

const never = async (): Promise<never> => await new Promise(() => undefined);

/** What the domain answers to `assemble`. Types do not hold those back who write JavaScript. */
function answerTo(fault: string): unknown {
  const state = { schema: "note", label: "note" };
  switch (fault) {
    case "throws":
      throw new TypeError("a bug in assemble");
    case "rejects":
      return Promise.reject(new Error("a late bug in assemble"));
    case "answers nothing":
      return undefined;
    case "answers nonsense":
      return { ...good, inputs: "none" };
    case "answers an unknown type":
      return { type: "done" };
    case "names no state":
      return { ...good, inputs: ["0x12"] };
    case "creates no JSON":
      return { ...good, outputs: [{ ...state, data: 1n }] };
    case "creates too much":
      return { ...good, outputs: [{ ...state, data: "x".repeat(70_000) }] };
    case "creates too many":
      return {
        ...good,
        outputs: Array.from({ length: 300 }, () => ({ ...state, data: 1 })),
      };
    case "reverts at length":
      return { type: "reverted", reason: "r".repeat(5_000) };
    case "hangs":
      return never();
    default:
      return good;
  }
}

function answerOfEndorser(fault: string): unknown {
  switch (fault) {
    case "throws at endorsers":
      throw new TypeError("a bug in endorse");
    case "answers nonsense at endorsers":
      return { ok: true };
    case "hangs at endorsers":
      return never();
    default:
      return undefined;
  }
}

/** A domain whose intents are named after what goes wrong with them; others create a note. */
export const brokenDomain: Domain = {
  name: "broken",
  mode: "elected",
  abi: [
    {
      type: "function",
      name: "write",
      stateMutability: "nonpayable",
      inputs: [{ name: "fault", type: "string" }],
      outputs: [],
    },
  ],
  checkGroup: () => undefined,
  check: ({ args }: DomainCall) => ({
    payload: JSON.stringify(args["fault"]).slice(1, -1),
    touches: undefined,
  }),
  assemble: ({ payload }) =>
    answerTo(payload) as ReturnType<Domain["assemble"]>,
  endorse: ({ payload }) =>
    answerOfEndorser(payload) as ReturnType<Domain["endorse"]>,
  query: () => ({}),
  isEntitled: () => {
    throw new Error("a bug in isEntitled");
  },
  isRetryable: () => {
    throw new Error("a bug in isRetryable");
  },
};
