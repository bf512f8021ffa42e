import { type IntentId, parseIntentId } from "../protocol/ids.ts";
import type { Json } from "../domains/domain.ts";
import { inParallel } from "../chain/parallel.ts";
import type { NewWork, NodeService } from "../node/service.ts";
import type { UserTransaction } from "../store/user-transactions.ts";
import type { Abi } from "./abi/parse-abi.ts";
import type { AbiLibrary } from "./abi-library.ts";
import type { BaseTransactions } from "./base-transactions.ts";
import type { UserBook } from "./book.ts";
import { notSupported, UserError } from "./errors.ts";
import type { TransactionInput } from "./input.ts";
import { pace } from "./pace.ts";
import { type ResolvedCall, resolveCall } from "./resolve-call.ts";
import { type PublicCall, resolvePublic } from "./resolve-public.ts";
import { digestOfId } from "./transaction-digest.ts";

/** What a call is sent with. */
export interface SubmitOptions {
  readonly idempotencyKey: string | undefined;
  readonly dependsOn: readonly string[];
  readonly isPrepareOnly: boolean;
  /** As the user wrote it. */
  readonly from: string;
  /** What to keep as the transaction's data, if that is not the arguments of the domain. */
  readonly shown?: {
    readonly function: string;
    readonly data: Json;
  };
}

/** What a user means, of a group or of the base ledger. */
export type Wanted =
  | { readonly type: "private"; readonly call: ResolvedCall }
  | { readonly type: "public"; readonly call: PublicCall };

/** A transaction that can be submitted. */
interface Ready extends NewWork {
  readonly row: UserTransaction;
  readonly abi: Abi;
}

/** A key that is taken for as long as nobody knows whether its transaction is on the disk. */
interface Claim {
  readonly isOver: Promise<void>;
}

/** Transactions that are checked against the chain at the same time. */
const checksAtOnce = 8;

/** Takes transactions from users. What it takes is durable, together with the intent, when it answers. */
export class Submissions {
  readonly #service: NodeService;
  readonly #book: UserBook;
  readonly #abis: AbiLibrary;
  readonly #base: BaseTransactions;
  readonly #newId: () => string;
  /** Keys of transactions that are on their way to the disk; each is settled when its transaction is there, or was not taken. */
  readonly #claims = new Map<string, Claim>();

  constructor(ports: {
    readonly service: NodeService;
    readonly book: UserBook;
    readonly abis: AbiLibrary;
    readonly base: BaseTransactions;
    readonly newId: () => string;
  }) {
    this.#service = ports.service;
    this.#book = ports.book;
    this.#abis = ports.abis;
    this.#base = ports.base;
    this.#newId = ports.newId;
  }

  /** Takes all or none, in one commit. Gives their ids. */
  async send(
    inputs: readonly TransactionInput[],
    { isPrepareOnly }: { readonly isPrepareOnly: boolean },
  ): Promise<readonly string[]> {
    const wanted: (Wanted & { readonly options: SubmitOptions })[] = [];
    for (const input of inputs)
      wanted.push({
        ...(await this.#resolve(input)),
        options: {
          from: input.from,
          idempotencyKey: input.idempotencyKey ?? undefined,
          dependsOn: input.dependsOn ?? [],
          isPrepareOnly,
        },
      });
    return await this.submit(wanted);
  }

  async submit(
    wanted: readonly (Wanted & { readonly options: SubmitOptions })[],
  ): Promise<readonly string[]> {
    const named = wanted.map((one) => ({ ...one, id: this.#newId() }));
    const release = await this.#claim(
      named.flatMap(({ id, options: { idempotencyKey: key } }) =>
        key === undefined ? [] : [{ key, id }],
      ),
    );
    try {
      const ready = await inParallel(named, checksAtOnce, async (one) =>
        one.type === "public"
          ? await this.#readyPublic(one.id, one.call, one.options)
          : this.#readyPrivate(one.id, one.call, one.options),
      );
      const work = {
        intents: ready.flatMap(({ intents }) => intents),
        transactions: ready.flatMap(({ transactions }) => transactions),
      };
      // Before and not with the transactions: many ABIs with many entries take a while.
      for (const { abi } of ready) {
        await pace.turn();
        this.#abis.keep(abi);
      }
      await this.#service.submit(work, () => {
        for (const { row } of ready) this.#book.transactions.insert(row);
      });
      return ready.map(({ row }) => row.id);
    } finally {
      release();
    }
  }

  /** Claims a key for as long as `work` takes, for what is not an intent. */
  async withKey<Result>(
    key: string | undefined,
    id: string,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (key === undefined) return await work();
    const release = await this.#claim([{ key, id }]);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Until the returned function is called nobody else can have these keys. A transaction that has one of them may still be lost in a
   * crash, so nobody is told of it before it is on the disk.
   */
  async #claim(
    wanted: readonly { readonly key: string; readonly id: string }[],
  ): Promise<() => void> {
    const keys = wanted.map(({ key }) => key);
    const twice = keys.find((key, i) => keys.indexOf(key) !== i);
    if (twice !== undefined)
      throw new UserError(
        "PD012220",
        `idempotencyKey '${twice}' stands twice in one request`,
      );
    for (;;) {
      const other = keys.flatMap((key) => this.#claims.get(key) ?? [])[0];
      if (other === undefined) break;
      await other.isOver;
    }
    for (const key of keys) {
      const taken = this.#book.transactions.byIdempotencyKey(key);
      if (taken !== undefined)
        throw new UserError(
          "PD012220",
          `idempotencyKey already used by submitted transaction ${taken.id}`,
        );
    }
    let end = (): void => undefined;
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (const { key } of wanted) this.#claims.set(key, { isOver });
    return () => {
      for (const key of keys) this.#claims.delete(key);
      end();
    };
  }

  async #resolve(input: TransactionInput): Promise<Wanted> {
    if (input.type === "public")
      return { type: "public", call: await resolvePublic(input, this.#abis) };
    const ports = { service: this.#service, abis: this.#abis };
    return { type: "private", call: await resolveCall(input, ports) };
  }

  async #readyPublic(
    id: string,
    call: PublicCall,
    { from, idempotencyKey, dependsOn }: SubmitOptions,
  ): Promise<Ready> {
    if (dependsOn.length > 0)
      throw notSupported("A public transaction that depends on others");
    const { abi, to, signature, args } = call;
    const transaction = await this.#base.prepare(digestOfId(id), call, from);
    const row: UserTransaction = {
      id,
      idempotencyKey,
      group: undefined,
      intentId: undefined,
      created: this.#book.now(),
      submitMode: "auto",
      type: "public",
      domain: undefined,
      from,
      to,
      function: signature,
      abiReference: abi.hash,
      data: args,
      dependsOn,
    };
    return { row, abi, intents: [], transactions: [transaction] };
  }

  #readyPrivate(id: string, call: ResolvedCall, options: SubmitOptions): Ready {
    const { group, identity, signature, args, abi } = call;
    const service = this.#service;
    const { payload, touches } = group.domain.check({
      group,
      node: service.name,
      from: identity.name,
      signature,
      args,
    });
    const dependsOn = options.dependsOn.map((other) =>
      this.#dependency(other, group.address),
    );
    const { id: intentId, laneSalt } = service.newIntentId(group.address);
    const row: UserTransaction = {
      id,
      idempotencyKey: options.idempotencyKey,
      group: group.address,
      intentId,
      created: this.#book.now(),
      submitMode: options.isPrepareOnly ? "external" : "auto",
      type: "private",
      domain: group.domain.name,
      from: options.from,
      to: group.address,
      function: options.shown?.function ?? signature,
      abiReference: abi.hash,
      data: options.shown?.data ?? args,
      dependsOn: options.dependsOn,
    };
    const intent = {
      group: group.address,
      id: intentId,
      laneSalt,
      payload,
      touches,
      dependsOn,
      isPrepareOnly: options.isPrepareOnly,
    };
    return { row, abi, intents: [intent], transactions: [] };
  }

  #dependency(id: string, group: string): IntentId {
    const transaction = this.#book.transactions.byId(id.toLowerCase());
    const intentId = parseIntentId(transaction?.intentId);
    if (intentId === undefined || transaction?.group !== group)
      throw new UserError(
        "PD012254",
        `${id}, which the transaction depends on, is no transaction of ${group}`,
      );
    return intentId;
  }
}
