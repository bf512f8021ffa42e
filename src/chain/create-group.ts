import {
  type Address,
  type Bytes32,
  decodeLogs,
  encodeCreateGroup,
  type GroupConfig,
  keccak256Hex,
  parseAddress,
  privacyGroupFactoryInterface,
  toBytes,
  topicOf,
} from "../ledger/index.ts";
import {
  type GroupAddress,
  parseDigest,
  parseGroupAddress,
} from "../protocol/ids.ts";
import { type ChainClient, ChainError } from "./ports.ts";
import type { Database } from "../store/database.ts";
import { Chain } from "./chain.ts";
import { PageSize } from "./indexer/page-size.ts";
import type { Submitter } from "./submitter/submitter.ts";
import { readAnswer } from "./values.ts";

/** A group on the ledger, and the block in which it came there. */
export interface LedgerGroup {
  readonly address: GroupAddress;
  readonly block: number;
}

/** What a group is made of. All of it, and who pays, decides its address: the same again is the same group. */
export interface CreateGroupOptions {
  readonly factory: Address;
  /** Must be one of the submitter's payers. */
  readonly payer: Address;
  readonly config: GroupConfig;
  readonly salt: Bytes32;
}

/**
 * Creates a group, or finds it if it is there. Rejects with a `ChainError` when the chain is away; trying again is safe.
 * The indexer must be running: it is how the submitter learns of blocks.
 */
export async function createGroup(
  { factory, payer, config, salt }: CreateGroupOptions,
  ports: {
    readonly client: ChainClient;
    readonly database: Database;
    readonly submitter: Submitter;
  },
): Promise<LedgerGroup> {
  const { client, database, submitter } = ports;
  const chain = new Chain(client);
  const ask = privacyGroupFactoryInterface.encodeFunctionData("groupAddress", [
    payer,
    config,
    salt,
  ]);
  const answer = await client.request("eth_call", [
    { to: factory, data: ask },
    "latest",
  ]);
  const address = readAnswer(parseAddressWord, answer);
  const group = parseGroupAddress(address);
  const digest = parseDigest(keccak256Hex(toBytes(address)));
  if (group === undefined || digest === undefined)
    throw new ChainError("unreachable", "The chain answered with nonsense.");
  const code = await chain.codeAt(address);
  if (code !== "0x")
    return requireCreated(await findCreation(chain, factory, group), group);

  const data = encodeCreateGroup(config, salt);
  database.write(() => {
    const call = { to: factory, data, validUntil: 0 };
    submitter.reserve({ digest, group, payer, ...call });
  });
  submitter.submit(digest);
  const end = await submitter.ended(digest);
  if (end.type === "mined") return { address: group, block: end.block };
  if ((await chain.codeAt(address)) !== "0x")
    return requireCreated(await findCreation(chain, factory, group), group);
  throw new Error(`The group was not created: ${end.reason}`);
}

/** Finds a group that is on the ledger; undefined if there is none at that address. */
export async function findLedgerGroup(
  client: ChainClient,
  {
    factory,
    group,
  }: { readonly factory: Address; readonly group: GroupAddress },
): Promise<LedgerGroup | undefined> {
  const chain = new Chain(client);
  if ((await chain.codeAt(group)) === "0x") return undefined;
  return await findCreation(chain, factory, group);
}

/** Looks for the event from the head down: a group that is looked for is most often young. */
async function findCreation(
  chain: Chain,
  factory: Address,
  group: GroupAddress,
): Promise<LedgerGroup | undefined> {
  const head = await chain.header("latest");
  const page = new PageSize({ blocksMax: 10_000 });
  for (let to = head?.number ?? -1; to >= 0;) {
    const from = Math.max(0, to - page.blocks + 1);
    try {
      const logs = await chain.logsBetween([from, to], {
        addresses: [factory],
        topics: [topicOf("GroupCreated")],
      });
      const fact = decodeLogs(logs).find(
        (found) =>
          found.type === "GroupCreated" &&
          parseGroupAddress(found.group) === group,
      );
      if (fact !== undefined)
        return { address: group, block: fact.log.blockNumber };
      to = from - 1;
    } catch (error) {
      const isTooMuch = error instanceof ChainError && error.kind === "refused";
      if (!isTooMuch || !page.shrink()) throw error;
    }
  }
  return undefined;
}

function requireCreated(
  found: LedgerGroup | undefined,
  group: GroupAddress,
): LedgerGroup {
  if (found === undefined)
    throw new Error(
      `There is code at ${group}, but the factory did not create it.`,
    );
  return found;
}

function parseAddressWord(value: unknown): Address {
  const isWord = typeof value === "string" && /^0x0{24}/.test(value);
  return parseAddress(isWord ? `0x${value.slice(26)}` : value);
}
