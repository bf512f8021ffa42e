import {
  decodeLogs,
  type StateId as LedgerId,
  topicOf,
} from "../../../src/ledger/index.ts";
import type { GroupAddress, StateId } from "../../../src/protocol/ids.ts";
import type { DomainState, StateView } from "../../../src/domains/domain.ts";
import type { Chain } from "../../../src/chain/chain.ts";

/** Contents of states by their ids on the ledger. Everybody is told at once of what anybody makes: nobody is ever kept waiting. */
export type Contents = Map<LedgerId, DomainState>;

const topics = [topicOf("IntentFulfilled"), topicOf("Transitioned")];

/** The unspent states of a group, as one party sees them in the chain's logs. */
export class LedgerView implements StateView {
  readonly #chain: Chain;
  readonly #group: GroupAddress;
  readonly #contents: Contents;
  readonly #unspent = new Map<
    StateId,
    { readonly state: DomainState; readonly ledgerId: LedgerId }
  >();
  readonly #byLedgerId = new Map<LedgerId, StateId>();
  #height: number;
  #refreshing: Promise<void> | undefined;

  constructor(
    options: { readonly group: GroupAddress; readonly fromBlock: number },
    ports: { readonly chain: Chain; readonly contents: Contents },
  ) {
    this.#group = options.group;
    this.#height = options.fromBlock - 1;
    this.#chain = ports.chain;
    this.#contents = ports.contents;
  }

  get height(): number {
    return this.#height;
  }

  get(id: StateId): DomainState | undefined {
    return this.#unspent.get(id)?.state;
  }

  ledgerIdOf(id: StateId): LedgerId | undefined {
    return this.#unspent.get(id)?.ledgerId;
  }

  *find(schema: string, label: string): Iterable<DomainState> {
    for (const { state } of this.#unspent.values())
      if (state.schema === schema && state.label === label) yield state;
  }

  /** Reads the blocks that are new. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #read(): Promise<void> {
    const head = (await this.#chain.header("latest"))?.number ?? this.#height;
    if (head <= this.#height) return;
    const logs = await this.#chain.logsBetween([this.#height + 1, head], {
      addresses: [this.#group],
      topics,
    });
    for (const fact of decodeLogs(logs)) {
      if (fact.type !== "Transitioned") continue;
      for (const ledgerId of fact.inputs) this.#remove(ledgerId);
      for (const ledgerId of fact.outputs) this.#add(ledgerId);
    }
    this.#height = head;
  }

  #add(ledgerId: LedgerId): void {
    const state = this.#contents.get(ledgerId);
    // A vacancy has no content.
    if (state === undefined) return;
    this.#unspent.set(state.id, { state, ledgerId });
    this.#byLedgerId.set(ledgerId, state.id);
  }

  #remove(ledgerId: LedgerId): void {
    const id = this.#byLedgerId.get(ledgerId);
    if (id === undefined) return;
    this.#byLedgerId.delete(ledgerId);
    this.#unspent.delete(id);
  }
}
