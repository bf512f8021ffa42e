import { createRequire } from "node:module";

import { Interface } from "ethers";

import { compiler } from "../../scripts/compiler.ts";
import type { AbiEntry } from "../../src/domains/domain.ts";

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// A contract that has nothing to do with ours: it counts, tells, and refuses.
contract Till {
    event Added(address indexed by, uint256 amount, string memo);

    error TooMuch(uint256 has, uint256 wanted);

    uint256 public total;

    constructor(uint256 first) payable {
        if (first == 666) revert TooMuch(0, first);
        total = first;
    }

    function add(uint256 amount, string calldata memo) external payable returns (uint256) {
        total += amount;
        emit Added(msg.sender, amount, memo);
        return total;
    }

    function take(uint256 amount) external {
        if (amount > total) revert TooMuch(total, amount);
        total -= amount;
    }

    function refuse() external pure {
        require(false, "never");
    }

    function whoAsks() external view returns (address asks, uint256 balance) {
        return (msg.sender, address(this).balance);
    }
}
`;

interface Solc {
  readonly compile: (input: string) => string;
}

interface Output {
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: readonly AbiEntry[];
            readonly evm: { readonly bytecode: { readonly object: string } };
          }
        >
      >
    >
  >;
}

/** A contract of somebody else. */
export interface Till {
  readonly abi: readonly AbiEntry[];
  readonly bytecode: string;
  /** Encodes and decodes what is said to it. */
  readonly coder: Interface;
}

let compiled: Till | undefined;

/** Compiling takes a second, so it is done once, and only for those who want it. */
export function aTill(): Till {
  compiled ??= compile();
  return compiled;
}

function compile(): Till {
  const solc = createRequire(import.meta.url)("solc") as Solc;
  const input = {
    language: "Solidity",
    sources: { "Till.sol": { content: source } },
    settings: {
      ...compiler.settings,
      viaIR: false,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const till = output.contracts["Till.sol"]?.["Till"];
  if (till === undefined) throw new Error(JSON.stringify(output));
  const { abi, evm } = till;
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    coder: Interface.from(JSON.stringify(abi)),
  };
}
