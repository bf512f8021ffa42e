import { existsSync, readFileSync } from "node:fs";

import hardhatSequencer from "hardhat-sequencer";
import { defineConfig } from "hardhat/config";

/** Where each node is, and the account with which it endorses and pays: here, accounts of Hardhat's own chain. */
const places = {
  alice: {
    address: "127.0.0.1:8650",
    endorser: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  },
  bob: {
    address: "127.0.0.1:8651",
    endorser: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  },
  carol: {
    address: "127.0.0.1:8652",
    endorser: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  },
};

interface Identity {
  readonly node: keyof typeof places;
  readonly key: string;
}

/** What `sequencer:identity --json` has printed so far. */
function identities(): readonly Identity[] {
  const file = new URL("identities.jsonl", import.meta.url);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Identity);
}

export default defineConfig({
  plugins: [hardhatSequencer],
  networks: {
    localhost: { type: "http", url: "http://127.0.0.1:8545" },
  },
  sequencer: {
    peers: Object.fromEntries(
      identities().map(({ node, key }) => [node, { ...places[node], key }]),
    ),
  },
});
