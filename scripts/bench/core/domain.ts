import type { Hashing } from "../../../src/protocol/config.ts";
import {
  parseDigest,
  parsePlace,
  parseStateId,
  parseStepHash,
  type Digest,
  type IntentId,
  type NodeName,
  type Place,
  type StateId,
} from "../../../src/protocol/ids.ts";
import type { AssembleOutcome } from "../../../src/protocol/messages.ts";
import type {
  Intent,
  SpeculativeView,
  State,
  Step,
  StepOutline,
} from "../../../src/protocol/transition.ts";
import { intentIdOf } from "../../../src/simulation/hashing.ts";

// The least that a domain can be: a few accounts with one coin each. An intent spends the coin of its account and makes
// the next one, so that intents contend and build on each other. Whatever can be made before the clock starts is.

/** Accounts that intents contend for. */
const accounts = 64;

/** Intents with the coin that each one makes. */
export interface Work {
  readonly intents: readonly Intent[];
  readonly coins: ReadonlyMap<IntentId, State>;
}

/** Makes intents. */
export function prepareWork(count: number): Work {
  const intents: Intent[] = [];
  const coins = new Map<IntentId, State>();
  for (let number = 0; number < count; number++) {
    const account = String(number % accounts);
    const id = intentIdOf(1, number);
    coins.set(id, { id: stateId(id), content: account });
    intents.push({
      id,
      laneSalt: "",
      payload: account,
      dependsOn: [],
      touches: undefined,
      isPrepareOnly: false,
    });
  }
  return { intents, coins };
}

/** What is on the ledger: the coin of each account, and which intents happened. */
export class Ledger {
  readonly #coins = new Map<string, StateId>();
  readonly #fulfilled = new Set<IntentId>();

  coinOf(account: string): StateId | undefined {
    return this.#coins.get(account);
  }

  /** Does all steps, or none and says no. */
  execute(steps: readonly Step[]): boolean {
    const changed = new Map<string, StateId>();
    for (const { intentId, inputs, outputs } of steps) {
      const [coin] = outputs;
      if (coin === undefined || this.#fulfilled.has(intentId)) return false;
      const { content: account } = coin;
      const current = changed.get(account) ?? this.#coins.get(account);
      if (inputs[0] !== current) return false;
      changed.set(account, coin.id);
    }
    for (const { intentId } of steps) this.#fulfilled.add(intentId);
    for (const [account, coin] of changed) this.#coins.set(account, coin);
    return true;
  }
}

/** Assembles intents in order, each on top of the ones before. */
export function assemble(
  { coins }: Work,
  ledger: Ledger,
  request: {
    readonly sender: NodeName;
    readonly intents: readonly Intent[];
    readonly view: SpeculativeView;
    readonly validUntil: number;
  },
): AssembleOutcome[] {
  const current = new Map<string, StateId>();
  for (const { id, content } of request.view.created) current.set(content, id);
  return request.intents.map(({ id, payload }): AssembleOutcome => {
    const coin = coins.get(id);
    if (coin === undefined) return { type: "unknown", id };
    const input = current.get(payload) ?? ledger.coinOf(payload);
    current.set(payload, coin.id);
    const step: Step = {
      intentId: id,
      laneSalt: "",
      sender: request.sender,
      payload,
      inputs: input === undefined ? [] : [input],
      reads: [],
      outputs: [coin],
      infos: [],
      calls: [],
      found: input === undefined ? [] : [{ id: input, place }],
      validUntil: request.validUntil,
      salt: "",
      signature: input ?? "genesis",
    };
    return { type: "assembled", id, step };
  });
}

const place = placeAt("0x00");

/**
 * Stands for the ledger's hash functions, which are not measured here: a number for each list of steps. Messages pass
 * by reference, so the same list is the same object on every node.
 */
export function createHashing(): Hashing {
  const digests = new WeakMap<readonly StepOutline[], Digest>();
  let count = 0;
  const nextWord = (): string => {
    count += 1;
    return `0x${count.toString(16).padStart(64, "0")}`;
  };
  return {
    isOwnIntent: () => true,
    stepHash: ({ outputs }) => {
      const hash = parseStepHash(outputs[0]?.id);
      if (hash === undefined) throw new Error("A step creates nothing.");
      return hash;
    },
    bundleDigest: ({ steps }) => {
      const known = digests.get(steps);
      if (known !== undefined) return known;
      const digest = parseDigest(nextWord());
      if (digest === undefined) throw new Error(`${count} makes no digest.`);
      digests.set(steps, digest);
      return digest;
    },
    placesOf: ({ steps }) =>
      steps.flatMap(({ outputs }) => outputs.map(({ id }) => ({ id, place }))),
  };
}

function placeAt(text: string): Place {
  const parsed = parsePlace(text);
  if (parsed === undefined) throw new Error(`${text} is no place.`);
  return parsed;
}

function stateId(text: string): StateId {
  const id = parseStateId(text);
  if (id === undefined) throw new Error(`${text} is no id of a state.`);
  return id;
}
