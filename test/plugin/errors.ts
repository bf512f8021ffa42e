import { expect } from "chai";

import { SequencerError } from "../../src/plugin/errors.ts";

describe("errors about nodes without an entry in sequencer.peers", () => {
  const messages = (known: readonly string[]): readonly string[] => [
    new SequencerError("MEMBER_NOT_A_PEER", { value: "dave", known }).message,
    new SequencerError("PEER_MISSING", { node: "dave", known }).message,
  ];

  it("name the nodes that there are", () => {
    for (const message of messages(["alice", "bob"])) {
      expect(message).to.include("dave");
      expect(message).to.include("alice, bob");
    }
  });

  it("say what makes the key of a node if there are none", () => {
    for (const message of messages([])) {
      expect(message).to.include("dave");
      expect(message).to.include("npx hardhat sequencer:identity");
      expect(message).to.not.match(/nobody|one of ,|has \./);
    }
  });
});
