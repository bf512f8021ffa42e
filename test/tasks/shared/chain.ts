import { expect } from "chai";

import { type ChainClient, ChainError } from "../../../src/chain/ports.ts";
import { askChain } from "../../../tasks/shared/chain.ts";
import { expectError } from "../../plugin/helpers/errors.ts";

/** A chain whose first answers are these errors. */
function aClient(...errors: readonly ChainError[]): {
  readonly client: ChainClient;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const left = [...errors];
  const client: ChainClient = {
    request: async (method) => {
      asked.push(method);
      const error = left.shift();
      if (error !== undefined) throw error;
      return await Promise.resolve(
        method === "eth_chainId" ? "0x7" : { hash: "0xab" },
      );
    },
    onHead: () => () => undefined,
    close: async () => {
      await Promise.resolve();
    },
  };
  return { client, asked };
}

const late = new ChainError("unreachable", "No answer.", { isLate: true });
const network = { networkName: "chain" };

describe("tasks: the first questions to a chain", () => {
  it("are asked again if the chain is late", async () => {
    const { client, asked } = aClient(late, late, late);
    const facts = await askChain(network, client);
    expect(facts).to.deep.equal({ chainId: 7, genesis: "0xab" });
    expect(asked).to.have.length(5);
  });

  it("are given up in the end", async () => {
    const { client, asked } = aClient(late, late, late, late);
    await expectError(
      "NETWORK_UNREACHABLE",
      async () => await askChain(network, client),
    );
    expect(asked).to.have.length(4);
  });

  it("are given up at once if nobody is there", async () => {
    const { client, asked } = aClient(
      new ChainError("unreachable", "Refused."),
    );
    await expectError(
      "NETWORK_UNREACHABLE",
      async () => await askChain(network, client),
    );
    expect(asked).to.have.length(1);
  });
});
