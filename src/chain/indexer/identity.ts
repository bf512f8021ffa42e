import { ChainError } from "../ports.ts";
import type { Chain } from "../chain.ts";
import { ChainMoved } from "../worker.ts";
import type { BlockReference } from "./fork.ts";
import type { IndexerOptions, IndexerPorts } from "./ports.ts";

/** The first block, and what kind of chain this is, are believed only after so many equal answers: one wrong one would last. */
const ANSWERS = 3;

/** Nodes for development, which take blocks back when they are told to. Each is one process with one view of its chain. */
const SIMULATED = /^(hardhatnetwork|anvil|ganache|ethereumjs testrpc)\b/i;

const ADVICE =
  "Nothing is followed or taken back until the right chain answers again. If a local chain was restarted, stop the nodes, remove their data and start them again.";

/** Knows which chain this is, and tells when another one answers. */
export class ChainIdentity {
  readonly #options: IndexerOptions;
  readonly #chain: Chain;
  readonly #ports: Pick<
    IndexerPorts,
    "head" | "genesis" | "onGenesis" | "lastCreation"
  >;
  #isSimulated: boolean | undefined;

  constructor(
    options: IndexerOptions,
    ports: Pick<
      IndexerPorts,
      "head" | "genesis" | "onGenesis" | "lastCreation"
    > & {
      readonly chain: Chain;
    },
  ) {
    this.#options = options;
    this.#ports = ports;
    this.#chain = ports.chain;
  }

  /** Whether the head may become lower without a reorganisation. */
  get isSimulated(): boolean {
    return this.#isSimulated === true;
  }

  /** Throws if another chain answers. */
  async require(): Promise<void> {
    const chainId = await this.#chain.chainId();
    if (chainId !== this.#options.chainId)
      throw anotherChain(
        `it has the id ${chainId}, and ${this.#options.chainId} is expected`,
      );
    const known = this.#ports.genesis();
    const genesis = await this.#genesis();
    if (known === undefined) await this.#remember(genesis);
    else if (genesis !== undefined && genesis !== known)
      throw anotherChain(
        `its id is ${chainId} as expected, but its first block is ${genesis}, and was ${known} before`,
      );
    await this.#meet();
  }

  /** Throws if taking back all blocks above `height` would mean that another chain answers. */
  async requireRevertible(
    { number: head }: BlockReference,
    height: number,
  ): Promise<void> {
    await this.require();
    const { contract, reorgDepthMax } = this.#options;
    if (contract !== undefined) {
      const code = await this.#chain.codeAt(contract);
      if (!/^0x[0-9a-f]/i.test(code))
        throw anotherChain(
          `there is no contract at ${contract}, where the factory of the groups was`,
        );
    }
    const created = this.#ports.lastCreation();
    const isShallow = height >= 0 && head - height <= reorgDepthMax;
    if (created !== undefined && height < created && !isShallow)
      throw anotherChain(
        `it differs from what this node has seen since ${height < 0 ? "its first block" : `block ${height + 1}`}, and a group was created in block ${created}`,
      );
  }

  /** Once a chain was not simulated, it never is: a single backend may be something else for a while. */
  async #meet(): Promise<void> {
    if (this.#isSimulated === false) return;
    for (let answers = 0; answers < ANSWERS; answers++) {
      const version = await this.#chain.clientVersion();
      if (!SIMULATED.test(version)) {
        this.#isSimulated = false;
        return;
      }
      if (this.#isSimulated === true) return;
    }
    this.#isSimulated = true;
  }

  /** Blocks may be indexed already, if the first block was not there then: it must be the first block of those. */
  async #remember(genesis: string | undefined): Promise<void> {
    if (genesis === undefined || !(await this.#hasHead())) return;
    for (let answers = 1; answers < ANSWERS; answers++)
      if ((await this.#genesis()) !== genesis)
        throw new ChainMoved("Two answers differ about the first block.");
    await this.#ports.onGenesis(genesis);
  }

  /** Whether the last indexed block is on this chain. */
  async #hasHead(): Promise<boolean> {
    const head = this.#ports.head();
    if (head === undefined) return true;
    return (await this.#chain.header(head.number))?.hash === head.hash;
  }

  /** Undefined if the chain does not have it any more: some nodes drop old blocks. */
  async #genesis(): Promise<string | undefined> {
    try {
      const header = await this.#chain.header(0);
      return header?.number === 0 ? header.hash : undefined;
    } catch (error) {
      if (error instanceof ChainError && error.kind === "refused")
        return undefined;
      throw error;
    }
  }
}

function anotherChain(why: string): ChainError {
  return new ChainError(
    "refused",
    `This is another chain: ${why}; check its address. ${ADVICE}`,
  );
}
