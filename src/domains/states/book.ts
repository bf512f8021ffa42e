import {
  type Hex,
  intentsHash,
  parseIntentId,
  type StateId as LedgerId,
  VACANCY,
} from "../../ledger/index.ts";
import {
  type GroupAddress,
  parseStateId,
  type Place,
  type StateId,
} from "../../protocol/ids.ts";
import type { State } from "../../protocol/transition.ts";
import type { DomainState, StateView } from "../domain.ts";
import type { IndexedTransition } from "../../chain/ports.ts";
import type { StateContent } from "../../store/contents.ts";
import type { States } from "../../store/states.ts";
import { readState } from "./content.ts";
import { isAt, placeOnLedger } from "./place.ts";

/** An output of a transition whose content this node does not have. */
export interface MissingState {
  readonly ledgerId: LedgerId;
  readonly intentsHash: Hex;
  readonly index: number;
}

/** A state that can be spent. */
interface Entry {
  readonly state: DomainState;
  readonly place: Place;
  readonly ledgerId: LedgerId;
}

const vacancy = parseStateId(VACANCY);

/** The states of one group that are on the ledger and unspent, as far as this node has seen blocks and knows contents. */
export class StateBook implements StateView {
  readonly #group: GroupAddress;
  readonly #states: States;
  readonly #unspent = new Map<StateId, Entry>();
  readonly #byLedgerId = new Map<LedgerId, StateId>();
  readonly #byLabel = new Map<string, Map<StateId, DomainState>>();
  readonly #missing = new Map<LedgerId, MissingState>();

  constructor(
    options: { readonly group: GroupAddress },
    ports: { readonly states: States },
  ) {
    this.#group = options.group;
    this.#states = ports.states;
    this.reload();
  }

  /** Reads everything again, after blocks were taken back. */
  reload(): void {
    this.#unspent.clear();
    this.#byLedgerId.clear();
    this.#byLabel.clear();
    this.#missing.clear();
    for (const known of this.#states.unspent(this.#group)) {
      const state = readState(known);
      if (state !== undefined)
        this.#add(state, {
          ledgerId: known.ledgerId,
          intentsHash: known.intentsHash,
          index: known.index,
        });
    }
    for (const state of this.#states.missing(this.#group))
      this.#missing.set(state.ledgerId, state);
  }

  get(id: StateId): DomainState | undefined {
    return this.#unspent.get(id)?.state;
  }

  placeOf(id: StateId): Place | undefined {
    return this.#unspent.get(id)?.place;
  }

  ledgerIdOf(id: StateId): LedgerId | undefined {
    return this.#unspent.get(id)?.ledgerId;
  }

  /** Everything that can be spent, as far as its content is known. */
  all(): readonly DomainState[] {
    return [...this.#unspent.values()].map(({ state }) => state);
  }

  find(schema: string, label: string): Iterable<DomainState> {
    return this.#byLabel.get(keyOf({ schema, label }))?.values() ?? [];
  }

  /** States on the ledger whose content it waits for. Until there are none, it does not know what can be spent. */
  get missing(): ReadonlyMap<LedgerId, MissingState> {
    return this.#missing;
  }

  /** What a transition did. To be called inside the commit of its block. `contents` are states that it may have created. */
  apply(
    transition: IndexedTransition,
    block: number,
    contents: readonly State[],
  ): void {
    const { inputs, outputs } = transition;
    for (const ledgerId of inputs) {
      this.#states.spent(this.#group, { ledgerId, block });
      this.#remove(ledgerId);
    }
    const hash = intentsHash(transition.intents.map((id) => parseIntentId(id)));
    for (const [index, ledgerId] of outputs.entries()) {
      const output = { ledgerId, intentsHash: hash, index };
      this.#create(output, block, contents);
    }
  }

  #create(
    output: MissingState,
    block: number,
    contents: readonly State[],
  ): void {
    const { ledgerId } = output;
    const group = this.#group;
    const content = contentOf(output, contents) ?? this.#kept(output);
    const state = content && readState(content);
    const isVacancy =
      state === undefined &&
      vacancy !== undefined &&
      isAt(ledgerId, { ...output, id: vacancy });
    const created = { ...output, block, isVacancy };
    if (content === undefined || state === undefined) {
      this.#states.created(group, created);
      if (!isVacancy) this.#missing.set(ledgerId, output);
      return;
    }
    this.#states.created(group, created, contentRow(output, state, content));
    this.#missing.delete(ledgerId);
    this.#add(state, output);
  }

  /** The content that was kept when the same state was on the ledger before. */
  #kept(output: MissingState): State | undefined {
    const kept = this.#states.byLedgerId(this.#group, output.ledgerId);
    return kept !== undefined && isContentOf(output, kept) ? kept : undefined;
  }

  /** Somebody tells the content of a state that is missing. False if it is not that. Inside a commit. */
  learn(ledgerId: LedgerId, content: State): boolean {
    const output = this.#missing.get(ledgerId);
    return (
      output !== undefined &&
      isContentOf(output, content) &&
      this.#learn(output, content)
    );
  }

  /** This node may not see that state. Inside a commit. */
  renounce(ledgerId: LedgerId): void {
    if (!this.#missing.delete(ledgerId)) return;
    this.#states.markForeign(this.#group, ledgerId);
  }

  /** This node may see everything from now on, also what it renounced. Inside a commit. */
  claim(): void {
    this.#states.unmarkForeign(this.#group);
    for (const state of this.#states.missing(this.#group))
      this.#missing.set(state.ledgerId, state);
  }

  /** Takes the content that belongs to an output; false if it makes no sense. */
  #learn(output: MissingState, content: State): boolean {
    const { ledgerId } = output;
    const state = readState(content);
    if (state === undefined) return false;
    this.#states.saveContent(this.#group, contentRow(output, state, content));
    this.#missing.delete(ledgerId);
    this.#add(state, output);
    return true;
  }

  #add(state: DomainState, output: MissingState): void {
    const { ledgerId } = output;
    const { id } = state;
    this.#unspent.set(id, {
      state,
      ledgerId,
      place: placeOnLedger(ledgerId, output),
    });
    this.#byLedgerId.set(ledgerId, id);
    const key = keyOf(state);
    const labelled = this.#byLabel.get(key);
    if (labelled === undefined) this.#byLabel.set(key, new Map([[id, state]]));
    else labelled.set(id, state);
  }

  #remove(ledgerId: LedgerId): void {
    this.#missing.delete(ledgerId);
    const id = this.#byLedgerId.get(ledgerId);
    if (id === undefined) return;
    this.#byLedgerId.delete(ledgerId);
    const state = this.#unspent.get(id)?.state;
    this.#unspent.delete(id);
    if (state === undefined) return;
    const key = keyOf(state);
    const labelled = this.#byLabel.get(key);
    labelled?.delete(id);
    if (labelled?.size === 0) this.#byLabel.delete(key);
  }
}

function contentRow(
  { ledgerId }: MissingState,
  { id, schema, label }: DomainState,
  { content }: State,
): StateContent {
  return { ledgerId, id, schema, label, content };
}

function isContentOf(output: MissingState, { id }: State): boolean {
  return isAt(output.ledgerId, { ...output, id });
}

/** The state that is this output. Most lists are in the order of the outputs, so that nobody has to search. */
function contentOf(
  output: MissingState,
  contents: readonly State[],
): State | undefined {
  const likely = contents[output.index];
  if (likely !== undefined && isContentOf(output, likely)) return likely;
  return contents.find((content) => isContentOf(output, content));
}

function keyOf({
  schema,
  label,
}: {
  readonly schema: string;
  readonly label: string;
}): string {
  return JSON.stringify([schema, label]);
}
