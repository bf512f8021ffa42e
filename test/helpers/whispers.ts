import type { Domain, DomainState, Json } from "../../src/domains/domain.ts";

// A domain for tests: members whisper notes to each other through the first member, who is the only one that endorses. A
// note is seen by whom it is for. A note to a public contract is a call of it.

interface Note {
  readonly to: string;
  readonly text: string;
}

function readNote(value: unknown): Note {
  const { to, text } = value as Readonly<Record<string, string>>;
  if (to === undefined || text === undefined) throw new Error("no note");
  return { to, text };
}

const noteOf = ({ data }: DomainState): Note => readNote(data);
const stateOf = ({ to, text }: Note) => ({
  schema: "note",
  label: to,
  data: { to, text },
});
const infoOf = ({ text }: Note) => ({
  schema: "said",
  label: "",
  data: { said: text },
});
const callsOf = ({ to, text }: Note) =>
  to.startsWith("0x") ? [{ target: to, data: text, gasMin: 100_000 }] : [];

export const whispers: Domain = {
  name: "whispers",
  mode: "elected",
  abi: [
    {
      type: "function",
      name: "whisper",
      stateMutability: "nonpayable",
      inputs: [
        { name: "to", type: "string" },
        { name: "text", type: "string" },
      ],
      outputs: [],
    },
  ],
  checkGroup: () => undefined,
  endorsersOf: ({ members }) => members.slice(0, 1),
  allowsCalls: ({ configuration }) => configuration["calls"] === "true",
  check: ({ args }) => ({
    payload: JSON.stringify(readNote(args)),
    touches: undefined,
  }),
  assemble: ({ payload }) => {
    const note = readNote(JSON.parse(payload));
    return {
      type: "assembled",
      inputs: [],
      reads: [],
      outputs: [stateOf(note)],
      infos: [infoOf(note)],
      calls: callsOf(note),
    };
  },
  endorse: ({ payload, outputs, infos, calls }) => {
    const note = readNote(JSON.parse(payload));
    const said = (states: readonly DomainState[]): readonly Json[] =>
      states.map(({ data }) => data);
    const isRight =
      JSON.stringify([said(outputs), said(infos), calls]) ===
      JSON.stringify([
        [stateOf(note).data],
        [infoOf(note).data],
        callsOf(note),
      ]);
    return isRight ? undefined : "not what was said";
  },
  query: () => ({}),
  receipt: (_, { infos }) => infos.map(({ data }) => data),
  isEntitled: (_, state, node) => noteOf(state).to === node,
  isRetryable: () => false,
};
