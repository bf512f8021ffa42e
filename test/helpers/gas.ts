import {
  buildGroupConfig,
  buildTransition,
  type Commitment,
  encodeExecute,
  type GroupConfig,
  intentIdAt,
  type IntentId,
  type LedgerDomain,
  ledgerDomain,
  outputStateIds,
  packEndorsements,
  parseBytes32,
  parseCommitment,
  parseLane,
  type StateId,
  type Transition,
  type TransitionParts,
  transitionDigest,
  VACANCY,
} from "../../src/ledger/index.ts";
import type { Chain } from "./chain.ts";
import { type Signer, signersInOrder } from "./keys.ts";
import { type Random, randomFrom } from "./random.ts";

/** One row of the table of gas. */
export interface GasRow {
  readonly name: string;
  /** What the same costs in the reference implementation, for each intent. */
  readonly reference: number;
  /** The most it may cost here, for each intent; nothing for a row that is only shown. */
  readonly reach?: number;
  readonly gasUsed: number;
  /** How many intents share the gas. */
  readonly intents: number;
}

interface Ledger {
  readonly chain: Chain;
  readonly domain: LedgerDomain;
  readonly config: GroupConfig;
  readonly signers: readonly Signer[];
  readonly random: Random;
  readonly nextIntent: () => IntentId;
}

/** A transition that is measured: what it spends, creates and fulfils. */
export interface Shape {
  readonly members: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly intents: number;
  /** The registers in which outputs beyond the inputs go: vacant ones, or new ones. */
  readonly extra?: "vacant" | "new";
}

type Goal = Pick<GasRow, "name" | "reference" | "reach">;

const rows: readonly (Goal & Shape)[] = [
  {
    name: "1 in / 1 out, 1 endorser",
    reference: 104_820,
    reach: 56_000,
    members: 1,
    inputs: 1,
    outputs: 1,
    intents: 1,
  },
  {
    name: "1 in / 1 out, 3 endorsers",
    reference: 122_396,
    reach: 66_000,
    members: 3,
    inputs: 1,
    outputs: 1,
    intents: 1,
  },
  {
    name: "2 in / 2 out, 3 endorsers",
    reference: 148_192,
    reach: 76_000,
    members: 3,
    inputs: 2,
    outputs: 2,
    intents: 1,
  },
  {
    name: "4 in / 4 out, 3 endorsers",
    reference: 199_794,
    reach: 95_000,
    members: 3,
    inputs: 4,
    outputs: 4,
    intents: 1,
  },
  {
    name: "2 in / 2 out, 10 endorsers",
    reference: 220_023,
    reach: 110_000,
    members: 10,
    inputs: 2,
    outputs: 2,
    intents: 1,
  },
  {
    name: "per intent, 10 in one transition, 3 endorsers",
    reference: 122_396,
    reach: 10_500,
    members: 3,
    inputs: 1,
    outputs: 1,
    intents: 10,
  },
  {
    name: "per intent, 100 in one transition, 3 endorsers",
    reference: 122_396,
    reach: 2_500,
    members: 3,
    inputs: 1,
    outputs: 1,
    intents: 100,
  },
  {
    name: "Noto transfer, 1 in / 2 out, vacant register",
    reference: 112_938,
    reach: 70_000,
    members: 1,
    inputs: 1,
    outputs: 2,
    intents: 1,
    extra: "vacant",
  },
  {
    name: "Noto transfer, 1 in / 2 out, new register",
    reference: 112_938,
    members: 1,
    inputs: 1,
    outputs: 2,
    intents: 1,
    extra: "new",
  },
];
const newGroup: Goal = {
  name: "new group, 3 members",
  reference: 315_548,
  reach: 150_000,
};

/** Measures every row on a chain that nobody used before. Keys, ids and addresses are fixed, so gas is too. */
export async function measureGas(chain: Chain): Promise<readonly GasRow[]> {
  const measured: GasRow[] = [];
  for (const [i, { name, reference, reach, ...shape }] of rows.entries()) {
    const { ledger } = await openLedger(chain, shape.members, i);
    const gasUsed = await measureTransition(ledger, shape);
    measured.push({
      name,
      reference,
      ...(reach === undefined ? {} : { reach }),
      gasUsed,
      intents: shape.intents,
    });
  }
  const { gasUsed } = await openLedger(chain, 3, rows.length);
  return [...measured, { ...newGroup, gasUsed, intents: 1 }];
}

/** Gas for each intent of a transition, in a group of its own that all its members endorse for. */
export async function gasPerIntent(
  chain: Chain,
  shape: Shape,
  seed: number,
): Promise<number> {
  const { ledger } = await openLedger(chain, shape.members, seed);
  return (await measureTransition(ledger, shape)) / shape.intents;
}

/** Whether a row keeps its goal. Rows without one always do. */
export function isReached({ gasUsed, intents, reach }: GasRow): boolean {
  return reach === undefined || gasUsed <= reach * intents;
}

/** A group in which every member must sign. */
async function openLedger(
  chain: Chain,
  members: number,
  seed: number,
): Promise<{ readonly ledger: Ledger; readonly gasUsed: number }> {
  const random = randomFrom(seed);
  const signers = signersInOrder(members);
  const config = buildGroupConfig({
    members: signers.map(({ address }) => address),
    threshold: members,
    externalCalls: false,
  });
  const { group, gasUsed } = await chain.createGroup(
    config,
    parseBytes32(random.bytes32()),
  );
  const lane = parseLane(random.bytes32().slice(0, 50));
  let series = 0n;
  const ledger = {
    chain,
    domain: ledgerDomain({ chainId: chain.chainId, group }),
    config,
    signers,
    random,
    nextIntent: () => intentIdAt(lane, series++),
  };
  return { ledger, gasUsed };
}

/** The gas of a transition whose registers and whose word of intents are in use already. */
async function measureTransition(
  ledger: Ledger,
  shape: Shape,
): Promise<number> {
  const registers = shape.extra === "vacant" ? shape.outputs : shape.inputs;
  const { outputs: states } = await execute(ledger, {
    outputs: commitments(ledger, registers),
  });
  const spent = states.slice(shape.inputs);
  const vacancies =
    spent.length === 0
      ? []
      : (
          await execute(ledger, {
            inputs: spent,
            outputs: spent.map(() => VACANCY),
          })
        ).outputs;
  const { gasUsed } = await execute(ledger, {
    intents: Array.from({ length: shape.intents }, ledger.nextIntent),
    inputs: [...states.slice(0, shape.inputs), ...vacancies],
    outputs: commitments(ledger, shape.outputs),
  });
  return gasUsed;
}

async function execute(
  { chain, domain, config, signers, random, nextIntent }: Ledger,
  parts: Partial<TransitionParts>,
): Promise<{ readonly gasUsed: number; readonly outputs: readonly StateId[] }> {
  const transition: Transition = buildTransition({
    epoch: 0n,
    details: random.bytes32(),
    ...parts,
    intents: parts.intents ?? [nextIntent()],
  });
  const digest = transitionDigest(domain, transition);
  const endorsements = packEndorsements(
    config,
    signers.map(({ address, sign }) => ({
      member: address,
      signature: sign(digest),
    })),
  );
  const sent = await chain.send({
    to: domain.group,
    data: encodeExecute(transition, endorsements),
  });
  if (sent.type === "Refused")
    throw new Error(`The ledger refused: ${sent.error.type}`);
  return { gasUsed: sent.gasUsed, outputs: outputStateIds(transition) };
}

function commitments({ random }: Ledger, count: number): readonly Commitment[] {
  return Array.from({ length: count }, () => parseCommitment(random.bytes32()));
}
