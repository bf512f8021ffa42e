import { z } from "zod";

import {
  type Assembly,
  type Domain,
  type DomainCall,
  DomainRefusal,
  type DomainState,
  type DomainStep,
  type Json,
  type NewState,
  type StateView,
} from "./domain.ts";

// A token that belongs to the group as a whole: every member may mint, move and burn, from any account. So all intents
// contend for the same coins, which is what a sequencer is for.

const SCHEMA = "coin";
/** Coins that one step spends at most; a larger amount needs a merge first, which happens by itself while paying. */
const INPUTS_MAX = 64;
const AMOUNT_MAX = 2n ** 256n - 1n;

const ACCOUNT = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
const AMOUNT = /^(?:0|[1-9][0-9]{0,77})$/;

const account = z.string().regex(ACCOUNT, "an account is a short name");
const amountType = z.string().regex(AMOUNT);

const intentType = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("mint"), to: account, amount: amountType })
    .strict(),
  z
    .object({
      type: z.literal("transfer"),
      from: account,
      to: account,
      amount: amountType,
    })
    .strict(),
  z
    .object({ type: z.literal("burn"), from: account, amount: amountType })
    .strict(),
]);
type TokenIntent = z.infer<typeof intentType>;

const input = (name: string, type: string) => ({ name, type });
const action = (name: string, ...inputs: readonly object[]) => ({
  type: "function",
  name,
  stateMutability: "nonpayable",
  inputs,
  outputs: [],
});

const abi = [
  action("mint", input("to", "string"), input("amount", "uint256")),
  action(
    "transfer",
    input("from", "string"),
    input("to", "string"),
    input("amount", "uint256"),
  ),
  action("burn", input("from", "string"), input("amount", "uint256")),
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [input("account", "string")],
    outputs: [input("balance", "uint256"), input("coins", "uint256")],
  },
];

/** The domain `group-token`. */
export const groupToken: Domain = {
  name: "group-token",
  mode: "elected",
  abi,
  checkGroup: ({ configuration }) => {
    const [unknown] = Object.keys(configuration);
    if (unknown !== undefined)
      throw new DomainRefusal(
        `A group-token has no setting "${unknown}". Leave it out.`,
      );
  },
  check: (call) => {
    const intent = readCall(call);
    return { payload: JSON.stringify(intent), touches: undefined };
  },
  assemble: ({ payload }, view) => {
    const intent = readPayload(payload);
    return intent === undefined
      ? {
          type: "reverted",
          reason: "The intent makes no sense to this domain.",
        }
      : assemble(intent, view);
  },
  endorse: findFault,
  query: (call, view) => balanceOf(call, view),
  isEntitled: () => true,
  isRetryable: () => true,
};

function readCall({ signature, args }: DomainCall): TokenIntent {
  const type = signature.slice(0, signature.indexOf("("));
  const read = intentType.safeParse({ type, ...args });
  if (!read.success)
    throw new DomainRefusal(
      `${signature} does not take these arguments: ${read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}.`,
    );
  const amount = BigInt(read.data.amount);
  if (amount === 0n || amount > AMOUNT_MAX)
    throw new DomainRefusal(
      `The amount must be from 1 to 2^256 - 1, but is ${read.data.amount}.`,
    );
  return read.data;
}

/** What `readCall` wrote; undefined if it did not. Every member reads every intent, so that this has to be fast. */
function readPayload(payload: string): TokenIntent | undefined {
  const fields = readFields(payload);
  if (fields === undefined) return undefined;
  const { type, from, to, amount } = fields;
  if (!isAmount(amount)) return undefined;
  switch (type) {
    case "mint":
      return isAccount(to) && hasFields(fields, 3)
        ? { type, to, amount }
        : undefined;
    case "transfer":
      return isAccount(from) && isAccount(to) && hasFields(fields, 4)
        ? { type, from, to, amount }
        : undefined;
    case "burn":
      return isAccount(from) && hasFields(fields, 3)
        ? { type, from, amount }
        : undefined;
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function readFields(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null
    ? (value as Fields)
    : undefined;
}

/** Whether there are none besides those that were looked at. */
function hasFields(fields: Fields, count: number): boolean {
  return Object.keys(fields).length === count;
}

function isAccount(value: unknown): value is string {
  return typeof value === "string" && ACCOUNT.test(value);
}

function isAmount(value: unknown): value is string {
  return typeof value === "string" && AMOUNT.test(value);
}

function coin(owner: string, amount: bigint): NewState {
  return {
    schema: SCHEMA,
    label: owner,
    data: { account: owner, amount: amount.toString() },
  };
}

/** What is on a coin; undefined if the state is no coin. */
function readCoin({
  schema,
  label,
  data,
}: DomainState):
  { readonly account: string; readonly amount: bigint } | undefined {
  const fields = fieldsOf(data);
  if (schema !== SCHEMA || fields === undefined) return undefined;
  const { account: owner, amount } = fields;
  const isCoin = owner === label && isAccount(owner) && hasFields(fields, 2);
  return isCoin && isAmount(amount)
    ? { account: label, amount: BigInt(amount) }
    : undefined;
}

function assemble(intent: TokenIntent, view: StateView): Assembly {
  const amount = BigInt(intent.amount);
  if (intent.type === "mint")
    return {
      type: "assembled",
      inputs: [],
      reads: [],
      outputs: [coin(intent.to, amount)],
    };
  const taken: DomainState[] = [];
  let total = 0n;
  for (const state of view.find(SCHEMA, intent.from)) {
    if (total >= amount || taken.length === INPUTS_MAX) break;
    taken.push(state);
    total += readCoin(state)?.amount ?? 0n;
  }
  if (total < amount)
    return {
      type: "reverted",
      reason:
        taken.length === INPUTS_MAX
          ? `The ${INPUTS_MAX} oldest coins of "${intent.from}" are worth ${total}; ${amount} needs more. Pay less at a time.`
          : `"${intent.from}" has ${total}, and ${amount} is asked for.`,
    };
  const outputs = intent.type === "transfer" ? [coin(intent.to, amount)] : [];
  if (total > amount) outputs.push(coin(intent.from, total - amount));
  return {
    type: "assembled",
    inputs: taken.map(({ id }) => id),
    reads: [],
    outputs,
  };
}

/** A step does what its intent says: nothing is created or lost on the way. */
function findFault({
  payload,
  inputs,
  reads,
  outputs,
}: DomainStep): string | undefined {
  const intent = readPayload(payload);
  if (intent === undefined) return "the intent makes no sense";
  if (reads.length > 0) return "a token reads nothing";
  const amount = BigInt(intent.amount);
  if (amount === 0n || amount > AMOUNT_MAX) return "the amount";
  const spent = new Map<string, bigint>();
  for (const state of inputs) {
    const read = readCoin(state);
    if (read === undefined) return "an input is no coin";
    add(spent, read.account, -read.amount);
  }
  for (const state of outputs) {
    const read = readCoin(state);
    if (read === undefined || read.amount === 0n || read.amount > AMOUNT_MAX)
      return "an output is no coin";
    add(spent, read.account, read.amount);
  }
  if (intent.type !== "mint") add(spent, intent.from, amount);
  if (intent.type !== "burn") add(spent, intent.to, -amount);
  for (const [owner, difference] of spent)
    if (difference !== 0n) return `the balance of ${owner}`;
  return undefined;
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

function balanceOf(
  { signature, args }: DomainCall,
  view: StateView,
): Readonly<Record<string, Json>> {
  const read = account.safeParse(args["account"]);
  if (signature !== "balanceOf(string)" || !read.success)
    throw new DomainRefusal(
      `A group-token answers balanceOf(string account), and not ${signature} of ${JSON.stringify(args)}.`,
    );
  let balance = 0n;
  let coins = 0;
  for (const state of view.find(SCHEMA, read.data)) {
    balance += readCoin(state)?.amount ?? 0n;
    coins += 1;
  }
  return { balance: balance.toString(), coins: coins.toString() };
}
