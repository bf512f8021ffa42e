import type { Digest } from "../../src/protocol/ids.ts";
import { parseDigest } from "../../src/protocol/ids.ts";
import { createPayer } from "../../src/keys/secp256k1.ts";
import { createWallet } from "../../src/keys/wallet.ts";
import type { Indexer } from "../../src/chain/indexer/indexer.ts";
import { executeGasMax } from "../../src/chain/submitter/gas.ts";
import {
  submitterDefaults,
  type PublicSubmission,
  type Submission,
  type SubmitterOptions,
} from "../../src/chain/submitter/ports.ts";
import type { PublicEnd } from "../../src/chain/submitter/public-end.ts";
import { Submitter } from "../../src/chain/submitter/submitter.ts";
import { machineTimers, type Timers } from "../../src/async/timers.ts";
import type { ChainClient, Faucet } from "../../src/chain/ports.ts";
import type { Payer } from "../../src/keys/ports.ts";
import { Database } from "../../src/store/database.ts";
import { submissionsSql } from "../../src/store/submissions.ts";
import { publishedAccount } from "./accounts.ts";
import { MemoryIndex } from "./memory-index.ts";
import type { Endorsed, TestGroup } from "./runtime-ledger.ts";

/** The account with this number of Hardhat's chain and of Anvil, which has money. */
export function aPayer(number: number): Payer {
  return createPayer(publishedAccount(number).privateKey);
}

/** How a submission failed. */
export interface Failure {
  readonly digest: Digest;
  readonly failure: string;
  readonly reason: string;
  readonly isRetryable: boolean;
}

/** A node that has nothing but an index and a submitter. Its disk and its index survive `stop`. */
export class SubmitterRig {
  readonly index = new MemoryIndex();
  readonly database: Database;
  readonly payers: readonly Payer[];
  readonly progress: (readonly [Digest, "nonce" | "submitted"])[] = [];
  readonly failures: Failure[] = [];
  readonly troubles: Error[] = [];
  readonly ends: PublicEnd[] = [];
  wallet = createWallet();
  /** Gives money if a test has one. */
  faucet: Faucet = async () => await Promise.resolve(false);
  #count = 0;
  #running:
    { readonly indexer: Indexer; readonly submitter: Submitter } | undefined;

  constructor(payers: readonly Payer[], file = ":memory:") {
    this.payers = payers;
    this.database = new Database({ file }, { migrations: [submissionsSql] });
  }

  start(
    client: ChainClient,
    groups: readonly TestGroup[],
    options: Partial<SubmitterOptions> = {},
    timers: Timers = machineTimers,
  ): void {
    const submitter = new Submitter(
      { ...submitterDefaults, chainId: 31337n, resendMs: 200, ...options },
      {
        client,
        timers,
        database: this.database,
        payers: this.payers,
        wallet: this.wallet,
        faucet: async (address, needed) => await this.faucet(address, needed),
        height: () => this.index.height,
        isIndexed: ({ number, hash }) => {
          const known = this.index.blocks.find(
            (block) => block.number === number,
          );
          return known === undefined ? undefined : known.hash === hash;
        },
        onPublicEnd: (end) => this.ends.push(end),
        onPublicEnded: () => {
          this.index.tell();
        },
        onProgress: (digest, progress) => {
          this.progress.push([digest, progress]);
          this.index.tell();
        },
        onFailed: (digest, failure, reason, isRetryable) => {
          this.failures.push({ digest, failure, reason, isRetryable });
          this.index.tell();
        },
        onTrouble: (_payer, error) => {
          if (error !== undefined) this.troubles.push(error);
          this.index.tell();
        },
      },
    );
    const { onRevert, onBlocks } = this.index.ports();
    const indexer = this.index.open(
      client,
      {
        groups: groups.map(({ address }) => address),
        fromBlock: groups.map(({ block }) => block).sort((a, b) => a - b)[0],
      },
      {
        timers,
        onBlocks: async (blocks) => {
          await onBlocks(blocks);
          submitter.onBlocks(blocks);
        },
        onRevert: async (height) => {
          await onRevert(height);
          this.database.write(() => {
            submitter.reopenAbove(height);
          });
          submitter.onRevert(height);
        },
      },
    );
    this.#running = { indexer, submitter };
    submitter.start();
    indexer.start();
  }

  get submitter(): Submitter {
    if (this.#running === undefined) throw new Error("It does not run.");
    return this.#running.submitter;
  }

  async stop(): Promise<void> {
    await this.#running?.indexer.stop();
    await this.#running?.submitter.stop();
    this.#running = undefined;
  }

  /** Commits a submission, and lets it go. */
  submit(
    group: TestGroup,
    endorsed: Endorsed,
    parts: Partial<Submission> = {},
  ): Digest {
    const digest = parseDigest(endorsed.digest);
    if (digest === undefined) throw new Error("There is no digest.");
    const { transition, data, signatures } = endorsed;
    const signers = (1n << BigInt(signatures)) - 1n;
    const submission = {
      digest,
      group: group.address,
      to: group.to,
      data,
      gasLimit: executeGasMax(transition, { data, signers }),
      validUntil: Number(transition.validUntil),
      ...parts,
    };
    this.database.write(() => {
      this.submitter.reserve(submission);
    });
    this.submitter.submit(digest);
    return digest;
  }

  /** Commits a user's transaction, and lets it go. */
  submitPublic(
    from: { readonly userName: string } | { readonly payer: Payer },
    parts: Partial<PublicSubmission> & Pick<PublicSubmission, "data">,
  ): Digest {
    const digest = parseDigest(
      `0x${(++this.#count).toString(16).padStart(64, "0")}`,
    );
    if (digest === undefined) throw new Error("There is no digest.");
    const isUser = "userName" in from;
    const submission: PublicSubmission = {
      digest,
      payer: isUser
        ? this.wallet.keyOf(from.userName).address
        : from.payer.address,
      userName: isUser ? from.userName : undefined,
      to: undefined,
      value: 0n,
      gasLimit: 1_000_000n,
      wanted: { maxFee: undefined, tip: undefined },
      ...parts,
    };
    this.database.write(() => {
      this.submitter.reservePublic(submission);
    });
    this.submitter.submit(digest);
    return digest;
  }

  /** How a user's transaction ended, as far as it was told last. */
  async endOf(digest: Digest): Promise<PublicEnd> {
    const find = (): PublicEnd | undefined =>
      this.ends.findLast((end) => end.digest === digest);
    await this.index.until(() => find() !== undefined);
    const end = find();
    if (end === undefined) throw new Error("It has not ended.");
    return end;
  }

  /** Resolves when everything that was submitted got this far. */
  async untilAll(
    digests: readonly Digest[],
    progress: "nonce" | "submitted",
  ): Promise<void> {
    await this.index.until(() => {
      const told = new Set(
        this.progress
          .filter(([, p]) => p === progress)
          .map(([digest]) => digest),
      );
      return digests.every((digest) => told.has(digest));
    });
  }

  /** Rows on disk of what is not settled. */
  get open(): number {
    const row = this.database.get(
      "SELECT count(*) AS n FROM submissions WHERE settled_block IS NULL",
    );
    return Number(row?.["n"]);
  }
}
