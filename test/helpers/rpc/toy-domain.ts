import {
  type AbiEntry,
  type Assembly,
  type Domain,
  type DomainCall,
  DomainRefusal,
  type Json,
  type StateView,
} from "../../../src/domains/domain.ts";

const string = (name: string): AbiEntry => ({ name, type: "string" });
const amount = { name: "amount", type: "uint256" };

/** Coins that anybody can mint, and notes that nobody reads: enough to see what a domain gets and gives. */
export const toyAbi: readonly AbiEntry[] = [
  {
    type: "function",
    name: "mint",
    inputs: [string("to"), amount],
    outputs: [],
  },
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [string("to"), amount],
    outputs: [],
  },
  {
    type: "function",
    name: "note",
    inputs: [
      {
        name: "entry",
        type: "tuple",
        components: [
          string("text"),
          { name: "numbers", type: "int8[]" },
          { name: "", type: "address" },
        ],
      },
      { name: "data", type: "bytes" },
    ],
    outputs: [],
  },
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [string("account")],
    outputs: [
      { name: "balance", type: "uint256" },
      { name: "", type: "bool" },
    ],
  },
  {
    type: "function",
    name: "deploy",
    inputs: [{ name: "bytecode", type: "bytes" }],
    outputs: [],
  },
  {
    type: "function",
    name: "invoke",
    inputs: [
      { name: "to", type: "address" },
      { name: "data", type: "bytes" },
    ],
    outputs: [],
  },
  {
    type: "function",
    name: "call",
    stateMutability: "view",
    inputs: [
      { name: "to", type: "address" },
      { name: "data", type: "bytes" },
    ],
    outputs: [{ name: "data", type: "bytes" }],
  },
];

interface Payload {
  readonly from: string;
  readonly signature: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** One state is one account with its balance. */
function assemble(payload: Payload, view: StateView): Assembly {
  const { from, signature, args } = payload;
  const [account] = view.find("account", text(args["to"], from));
  const balance = BigInt(text(account?.data, "0"));
  const value = BigInt(text(args["amount"], "0"));
  if (signature === "transfer(string,uint256)") {
    const [own] = view.find("account", from);
    const funds = BigInt(text(own?.data, "0"));
    if (own === undefined || funds < value)
      return { type: "reverted", reason: `${from} has only ${funds}` };
    return {
      type: "assembled",
      inputs: [own.id, ...(account === undefined ? [] : [account.id])],
      reads: [],
      outputs: [
        coin(from, funds - value),
        coin(text(args["to"], ""), balance + value),
      ],
    };
  }
  return {
    type: "assembled",
    inputs: account === undefined ? [] : [account.id],
    reads: [],
    outputs: [coin(text(args["to"], from), balance + value)],
  };
}

function text(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function coin(
  label: string,
  balance: bigint,
): { schema: string; label: string; data: Json } {
  return { schema: "account", label, data: balance.toString() };
}

function query(
  { signature, args }: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  if (signature === "call(address,bytes)")
    return { data: `0x${"00".repeat(31)}2a` };
  if (signature !== "balanceOf(string)")
    throw new DomainRefusal(`toy cannot answer ${signature}`);
  const [state] = view.find("account", text(args["account"], ""));
  return { balance: text(state?.data, "0"), "1": state !== undefined };
}

export const toyDomain: Domain = {
  name: "toy",
  mode: "elected",
  abi: toyAbi,
  checkGroup: ({ configuration }) => {
    for (const key of Object.keys(configuration))
      if (key !== "colour")
        throw new DomainRefusal(`toy has no configuration ${key}`);
  },
  check: ({ from, signature, args }) => {
    if (signature.startsWith("balanceOf"))
      throw new DomainRefusal("balanceOf is a question, not an intent");
    if (args["amount"] === "0") throw new DomainRefusal("amount cannot be 0");
    return {
      payload: JSON.stringify({ from, signature, args }),
      touches: undefined,
    };
  },
  assemble: ({ payload }, view) =>
    assemble(JSON.parse(payload) as Payload, view),
  endorse: () => undefined,
  query,
  receipt: (_, { confirmed }) => ({
    balances: confirmed.map(({ data }) => data),
  }),
  isEntitled: () => true,
  isRetryable: () => false,
};
