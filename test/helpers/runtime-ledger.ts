import {
  type Address,
  buildGroupConfig,
  buildTransition,
  decodeLogs,
  encodeCreateGroup,
  encodeExecute,
  intentIdAt,
  type Digest,
  type GroupConfig,
  type Hex,
  ledgerDomain,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseLane,
  type Transition,
  transitionDigest,
  type TransitionParts,
} from "../../src/ledger/index.ts";
import { readArtifact } from "../../src/plugin/deployment/artifacts.ts";
import {
  type GroupAddress,
  parseGroupAddress,
} from "../../src/protocol/ids.ts";
import { Chain } from "../../src/chain/chain.ts";
import type { Receipt } from "../../src/chain/values.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { signersInOrder } from "./keys.ts";
import { type Random, randomFrom } from "./random.ts";

/** A transition with all that is needed to carry it out. */
export interface Endorsed {
  readonly transition: Transition;
  readonly digest: Digest;
  readonly signatures: number;
  readonly data: Hex;
}

/** A group on a chain, with the keys of all its members. */
export interface TestGroup {
  readonly address: GroupAddress;
  readonly to: Address;
  /** Where it was created. */
  readonly block: number;
  /** The next transition: one new intent and one new state, if nothing else is asked for. */
  readonly endorse: (parts?: Partial<TransitionParts>) => Endorsed;
  /** Carries out a new transition from an account of the chain, and waits until it is mined. */
  readonly execute: () => Promise<void>;
}

/** A factory on a chain, and accounts that the chain signs for. */
export interface TestLedger {
  readonly client: ChainClient;
  readonly chain: Chain;
  readonly chainId: bigint;
  readonly factory: Address;
  readonly account: Address;
  readonly createGroup: (
    members?: number,
    options?: { readonly externalCalls: boolean },
  ) => Promise<TestGroup>;
  /** Puts a contract on the chain. */
  readonly deploy: (bytecode: string) => Promise<Address>;
}

const GAS = "0xf00000";

/** Endorses transitions of a group with the keys of all its members. */
export function endorserOf({
  chainId,
  group,
  config,
  random,
}: {
  readonly chainId: bigint;
  readonly group: Address;
  /** Its members are the first test signers. */
  readonly config: GroupConfig;
  readonly random: Random;
}): TestGroup["endorse"] {
  const signers = signersInOrder(config.members.length);
  const domain = ledgerDomain({ chainId, group });
  const lane = parseLane(random.bytes32().slice(0, 50));
  let series = 0n;
  return (parts) => {
    const transition = buildTransition({
      epoch: 0n,
      intents: [intentIdAt(lane, series++)],
      outputs: [parseCommitment(random.bytes32())],
      details: parseBytes32(random.bytes32()),
      ...parts,
    });
    const digest = transitionDigest(domain, transition);
    const endorsements = packEndorsements(
      config,
      signers.map((signer) => ({
        member: signer.address,
        signature: signer.sign(digest),
      })),
    );
    const data = encodeExecute(transition, endorsements);
    return { transition, digest, signatures: signers.length, data };
  };
}

/** Deploys a factory on a chain that mines at once. */
export async function openTestLedger(client: ChainClient): Promise<TestLedger> {
  const chain = new Chain(client);
  const random = randomFrom(1);
  const chainId = await chain.chainId();
  const accounts = (await client.request("eth_accounts", [])) as string[];
  const account = parseAddress(accounts[0]);
  const send = async (call: object): Promise<Hex> =>
    (await client.request("eth_sendTransaction", [
      { from: account, gas: GAS, ...call },
    ])) as Hex;
  const mined = async (hash: Hex): Promise<Receipt> => {
    for (;;) {
      const receipt = await chain.receiptOf(hash);
      if (receipt !== undefined) return receipt;
    }
  };
  const deploy = async (bytecode: string): Promise<Address> => {
    const created = await mined(await send({ data: bytecode }));
    const answer = (await client.request("eth_getTransactionReceipt", [
      created.transactionHash,
    ])) as { readonly contractAddress: string };
    return parseAddress(answer.contractAddress.toLowerCase());
  };
  const factory = await deploy(readArtifact("PrivacyGroupFactory").bytecode);

  const createGroup: TestLedger["createGroup"] = async (
    members = 3,
    { externalCalls } = { externalCalls: false },
  ): Promise<TestGroup> => {
    const signers = signersInOrder(members);
    const config = buildGroupConfig({
      members: signers.map(({ address }) => address),
      threshold: members,
      externalCalls,
    });
    const receipt = await mined(
      await send({
        to: factory,
        data: encodeCreateGroup(config, random.bytes32()),
      }),
    );
    const [fact] = decodeLogs(receipt.logs);
    if (fact?.type !== "GroupCreated") throw new Error("There is no group.");
    const address = parseGroupAddress(fact.group);
    if (address === undefined) throw new Error("The group has no address.");
    const endorse = endorserOf({ chainId, group: fact.group, config, random });
    return {
      address,
      to: fact.group,
      block: receipt.blockNumber,
      endorse,
      execute: async () => {
        await mined(await send({ to: fact.group, data: endorse().data }));
      },
    };
  };
  return { client, chain, chainId, factory, account, createGroup, deploy };
}
