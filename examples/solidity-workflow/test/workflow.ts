import { expect } from "chai";
import { keccak256, parseEther, toUtf8Bytes } from "ethers";
import hre, { network } from "hardhat";
import {
  buildCommittee,
  buildTransition,
  decodeLogs,
  encodeExecute,
  intentIdAt,
  laneFrom,
  outputStateIds,
  packEndorsements,
  parseAddress,
  parseCommitment,
  parseHex,
  parseUint64,
  type Transition,
  typedDataTypes,
  walletDomain,
} from "hardhat-sequencer/ledger";
import { PrivacyGroup__factory } from "hardhat-sequencer/typechain";

import InvoiceEscrowModule from "../ignition/modules/InvoiceEscrow.ts";

const hash = (text: string): string => keccak256(toUtf8Bytes(text));

/** ethers wants arrays that it could write to. */
const transitionTypes = Object.fromEntries(
  Object.entries(typedDataTypes.Transition).map(([name, fields]) => [
    name,
    [...fields],
  ]),
);

/** A value that a sender draws for itself, so that the ids of its intents do not tell who it is. */
const lane = laneFrom(crypto.getRandomValues(new Uint8Array(24)));

async function deploy() {
  const { ethers, ignition } = await network.create();
  const [submitter, ...others] = await ethers.getSigners();
  const [buyer, seller, bank] = others;
  if (!submitter || !buyer || !seller || !bank) throw new Error("No accounts");
  const committee = buildCommittee({
    members: [buyer, seller, bank].map(({ address }) => parseAddress(address)),
    threshold: 2,
  });
  const { group, escrow } = await ignition.deploy(InvoiceEscrowModule, {
    parameters: {
      SequencerGroup: {
        members: [...committee.members],
        threshold: committee.threshold,
        externalCalls: true,
      },
    },
  });
  const address = parseAddress(await group.getAddress());
  const { chainId } = await ethers.provider.getNetwork();
  const domain = walletDomain({ chainId, group: address });

  /** Has two members endorse a transition, and sends it. Who sends it does not matter. */
  async function submit(transition: Transition) {
    const endorsements = [buyer, bank].map(async (member) => ({
      member: parseAddress(member?.address),
      signature: parseHex(
        await member?.signTypedData(domain, transitionTypes, transition),
      ),
    }));
    const response = await submitter?.sendTransaction({
      to: address,
      data: encodeExecute(
        transition,
        packEndorsements(committee, await Promise.all(endorsements)),
      ),
    });
    const receipt = await response?.wait();
    return decodeLogs(receipt?.logs ?? []);
  }

  const ledger = PrivacyGroup__factory.connect(address, ethers.provider);
  return { ethers, ledger, escrow, seller, submit };
}

describe("a workflow", function () {
  it("uses the package as it is published", function () {
    expect(import.meta.resolve("hardhat-sequencer")).to.match(
      /\/node_modules\/hardhat-sequencer\/dist\/src\/index\.js$/,
    );
    expect(hre.config.sequencer.networks).to.deep.equal({});
  });

  it("issues an invoice in private, and pays it in public", async function () {
    const { ethers, ledger, escrow, seller, submit } = await deploy();

    const issue = buildTransition({
      epoch: 0n,
      intents: [intentIdAt(lane, 0n)],
      outputs: [parseCommitment(hash("invoice 7: 0.4 ether"))],
    });
    await submit(issue);
    const [invoice] = outputStateIds(issue);
    if (invoice === undefined) throw new Error("No invoice");
    expect(await ledger.isUnspent(invoice)).to.equal(true);

    const amount = parseEther("0.4");
    const pay = escrow.interface.encodeFunctionData("pay", [
      hash("invoice 7"),
      seller.address,
      amount,
    ]);
    const settle = buildTransition({
      epoch: 0n,
      intents: [intentIdAt(lane, 1n)],
      inputs: [invoice],
      calls: [
        {
          target: parseAddress(await escrow.getAddress()),
          data: parseHex(pay),
          // What the payment needs, whoever submits it.
          gasMin: parseUint64(100_000),
        },
      ],
    });
    const before = await ethers.provider.getBalance(seller);
    const facts = await submit(settle);

    expect(facts.map(({ type }) => type)).to.deep.equal(["Transitioned"]);
    expect(await ethers.provider.getBalance(seller)).to.equal(before + amount);
    expect(await ledger.isUnspent(invoice)).to.equal(false);
    expect(await ledger.isFulfilled(intentIdAt(lane, 1n))).to.equal(true);
  });
});
