import { expect } from "chai";

import {
  approvalDigest,
  atomFactoryInterface,
  buildGroupConfig,
  buildTransition,
  decodeLogs,
  encodeApprove,
  encodeExecuteApproved,
  encodeExecuteAtom,
  hashTransition,
  ledgerDomain,
  outputStateIds,
  packEndorsements,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseHex,
  parseIntentId,
  parseUint64,
} from "../../src/ledger/index.ts";
import { openChain } from "../helpers/chain.ts";
import { signersInOrder } from "../helpers/keys.ts";

describe("ledger: a swap between two groups", function () {
  it("happens in one transaction, whose events tell the groups apart", async function () {
    const chain = await openChain();
    const signers = signersInOrder(2);
    const config = buildGroupConfig({
      members: signers.map(({ address }) => address),
      threshold: 2,
      externalCalls: false,
    });
    const salt = parseBytes32(`0x${"77".repeat(32)}`);
    const groups = [
      (await chain.createGroup(config, salt)).group,
      (await chain.createGroup(config, parseBytes32(`0x${"78".repeat(32)}`)))
        .group,
    ];
    const halves = groups.map((address, i) => ({
      address,
      transition: buildTransition({
        epoch: 0n,
        intents: [parseIntentId(`0x${String(i + 1).repeat(64)}`)],
        outputs: [parseCommitment(salt)],
      }),
    }));
    const calls = halves.map(({ address, transition }) => ({
      target: address,
      data: encodeExecuteApproved(transition),
      gasMin: parseUint64(100_000),
    }));
    const atom = parseAddress(
      `0x${(await chain.call({ to: chain.atomFactory, data: parseHex(atomFactoryInterface.encodeFunctionData("atomAddress", [calls, salt])) })).slice(26)}`,
    );
    for (const { address, transition } of halves) {
      const digest = approvalDigest(
        ledgerDomain({ chainId: chain.chainId, group: address }),
        transition,
        atom,
      );
      const endorsements = packEndorsements(
        config,
        signers.map((signer) => ({
          member: signer.address,
          signature: signer.sign(digest),
        })),
      );
      const approved = await chain.send({
        to: address,
        data: encodeApprove(transition, atom, endorsements),
      });
      expect(approved.type).to.equal("Mined");
    }
    const sent = await chain.send({
      to: chain.atomFactory,
      data: encodeExecuteAtom(calls, salt),
    });
    if (sent.type === "Refused") throw new Error(sent.error.type);
    const facts = decodeLogs(sent.logs);
    expect(facts.map(({ type, address }) => [type, address])).to.deep.equal([
      ["Transitioned", groups[0]],
      ["Transitioned", groups[1]],
      ["AtomExecuted", chain.atomFactory],
    ]);
    for (const { address, transition } of halves) {
      const fact = facts.find((candidate) => candidate.address === address);
      expect(fact).to.include({ transitionHash: hashTransition(transition) });
      expect(fact).to.deep.include({
        intents: transition.intents,
        outputs: outputStateIds(transition),
      });
    }
  });
});
