import { ledgerDomain, parseAddress } from "../../ledger/index.ts";
import type { Hashing } from "../../protocol/config.ts";
import type { EndorseOutcome } from "../../protocol/events.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { Intent, State } from "../../protocol/transition.ts";
import { assemble } from "../../domains/assembler.ts";
import { findFault } from "../../domains/checker.ts";
import type { DomainGroup } from "../../domains/domain.ts";
import { hashingOf } from "../../domains/states/arrange.ts";
import { createState, readState } from "../../domains/states/content.ts";
import type { Block } from "../chain.ts";
import { isSigned, sign } from "../hashing.ts";
import { Random } from "../random.ts";
import { Violation } from "../violation.ts";
import { drawWorkload, type WorkloadOptions } from "../workload.ts";
import { asking } from "./asks.ts";
import { cheating, inOtherNames } from "./cheats.ts";
import type {
  AssemblyAnswer,
  AssemblyRequest,
  DomainKind,
  DrawnGroup,
  EndorsementRequest,
  SimulatedDomain,
} from "./domain.ts";
import { historyOf } from "./history.ts";
import { LedgerBook } from "./ledger-book.ts";
import { setupWishesOf } from "./setup-calls.ts";
import type { Trial } from "./trial.ts";
import { withWhims } from "./whims.ts";

const CHAIN_ID = 31_337n;
const EPOCH = 0n;

/** A domain of the runtime, for as many runs as one likes. */
export function onTrial(trial: Trial): DomainKind {
  return (drawn) => new RuntimeDomain(drawn, trial);
}

/** A domain of the runtime, with the runtime's own assembler, checker, books and hashes. */
class RuntimeDomain implements SimulatedDomain {
  readonly rules: SimulatedDomain["rules"];
  readonly #hashing: Hashing;
  readonly suspects: readonly NodeName[];
  readonly #drawn: DrawnGroup;
  readonly #trial: Trial;
  readonly #group: DomainGroup;
  readonly #books = new Map<NodeName, LedgerBook>();
  readonly #salts: Random;
  readonly #lies: Random;
  /** What somebody wants, for those who want it in his name. */
  readonly #payloads = ["sing a song"];

  constructor(drawn: DrawnGroup, trial: Trial) {
    this.#drawn = drawn;
    this.#trial = trial;
    this.#group = groupOf(drawn, trial);
    this.#salts = new Random(drawn.seed, "salts");
    this.#lies = new Random(drawn.seed, "lies");
    const address = parseAddress(drawn.contract);
    this.#hashing = hashingOf({
      domain: ledgerDomain({ chainId: CHAIN_ID, group: address }),
      epoch: EPOCH,
    });
    this.rules = this.#rules();
    const { members, endorsers } = this.#group;
    // Some liars send intents, some endorse, and most do both.
    const who = this.#lies.chance(0.5) ? members : endorsers;
    this.suspects = this.#lies.shuffle(who);
  }

  #rules(): SimulatedDomain["rules"] {
    const { threshold } = this.#drawn;
    const { endorsers } = this.#group;
    const { mode } = this.#trial.domain;
    return {
      committee: endorsers,
      threshold: Math.min(threshold, endorsers.length),
      mode,
      pool: mode === "remote" ? endorsers : [],
      mayKnow: (node, state) => this.#isEntitled(node, state),
      hashing: this.#hashing,
    };
  }

  #isEntitled(node: NodeName, state: State): boolean {
    const { domain } = this.#trial;
    const read = readState(state);
    return read !== undefined && domain.isEntitled(this.#group, read, node);
  }

  readonly concerns: SimulatedDomain["concerns"] = (node, state) => {
    const read = readState(state);
    return read !== undefined && (this.#trial.concerns?.(node, read) ?? true);
  };

  draw(options: WorkloadOptions): ReturnType<SimulatedDomain["draw"]> {
    const { seed } = this.#drawn;
    const setupCalls = setupWishesOf(this.#trial, this.#group, seed);
    const first = setupCalls.map(({ intent }) => intent.id);
    const drawAsk = asking(this.#trial, this.#group, first);
    const random = new Random(seed, "workload");
    const wishes = [...setupCalls, ...drawWorkload(options, random, drawAsk)];
    // What waits for something would wait for ever in the name of somebody else.
    for (const { mayPark, intent } of wishes)
      if (!mayPark) this.#payloads.push(intent.payload);
    return { genesis: [], wishes };
  }

  bookOf(node: NodeName): LedgerBook {
    const known = this.#books.get(node);
    if (known !== undefined) return known;
    const isEndorser = this.#group.endorsers.includes(node);
    const book = new LedgerBook({
      group: this.#drawn.contract,
      epoch: EPOCH,
      hashing: this.#hashing,
      mayKnow: (state) => isEndorser || this.#isEntitled(node, state),
    });
    this.#books.set(node, book);
    return book;
  }

  async assemble(request: AssemblyRequest): Promise<AssemblyAnswer> {
    const { sender, isLying } = request;
    const book = this.bookOf(sender).states;
    const domain = withWhims(this.#trial.domain, request);
    const lies = this.#lies;
    const asked = isLying
      ? {
          ...request,
          intents: inOtherNames(request.intents, this.#payloads, lies),
        }
      : request;
    const outcomes = await assemble(asked, {
      domain: isLying ? cheating(domain, lies, () => book.all()) : domain,
      group: this.#group,
      book,
      hashing: this.#hashing,
      signSteps: (hashes) => hashes.map((hash) => sign(sender, hash)),
      newSalt: () => saltFrom(this.#salts),
    });
    const hopeless = new Set<IntentId>();
    for (const { type, id } of outcomes) {
      const intent = asked.intents.find((one) => one.id === id);
      if (type === "reverted" && intent !== undefined)
        if (await this.#isHopeless(sender, intent)) hopeless.add(id);
    }
    return { outcomes, hopeless };
  }

  /** Whether an intent reverts on the ledger alone. */
  async #isHopeless(
    sender: NodeName,
    { id, payload }: Intent,
  ): Promise<boolean> {
    const group = this.#group;
    const { type } = await this.#trial.domain.assemble(
      { group, id, sender, payload },
      this.bookOf(sender).states,
    );
    return type === "reverted";
  }

  async endorse(request: EndorsementRequest): Promise<EndorseOutcome> {
    const { endorser, bundle, isLying } = request;
    const { domain } = this.#trial;
    const group = this.#group;
    const endorsed = {
      type: "endorsed",
      signature: sign(endorser, bundle.digest),
    } as const;
    // Groups trust no single endorser, unless they have only one.
    if (isLying && (this.rules.threshold ?? 0) > 1) return endorsed;
    const book = this.bookOf(endorser);
    const fault = await findFault(request, {
      domain,
      group,
      book: book.states,
      hashing: this.#hashing,
      epoch: EPOCH,
      allowsCalls: domain.allowsCalls?.(group) ?? false,
      membersCount: group.endorsers.length,
      isFulfilled: (id) => book.isFulfilled(id),
      isSignedBy: (sender, hash, signature) =>
        group.members.includes(sender) && isSigned(signature, sender, hash),
    });
    return fault === undefined ? endorsed : { type: "refused", ...fault };
  }

  readonly makeUp: SimulatedDomain["makeUp"] = {
    payload: () => this.#lies.pick(this.#payloads),
    state: (intentId, random) => this.#makeUpState(intentId, random),
  };

  /** Another one of something that is there. */
  #makeUpState(intentId: IntentId, random: Random): State | undefined {
    const [book] = this.#books.values();
    const known = book?.states.all() ?? [];
    if (known.length === 0) return undefined;
    const origin = { intentId, index: random.below(4) };
    return createState(random.pick(known), origin, saltFrom(random));
  }

  async checkEnd(blocks: readonly Block[]): Promise<void> {
    try {
      await this.#trial.check?.(historyOf(this.#group, blocks));
    } catch (error) {
      if (error instanceof Violation) throw error;
      // Something is on the ledger that nobody can read.
      const what = error instanceof Error ? error.message : "it makes no sense";
      throw new Violation("conserved", what);
    }
  }

  close(): void {
    for (const book of this.#books.values()) book.close();
  }
}

function groupOf(drawn: DrawnGroup, { domain, configure }: Trial): DomainGroup {
  const { seed, contract: address, members } = drawn;
  const configuration = configure(drawn, new Random(seed, "configuration"));
  const plan = { members, configuration };
  domain.checkGroup(plan);
  const endorsers = domain.endorsersOf?.(plan) ?? members;
  return { address, members, endorsers, configuration };
}

/** 16 bytes. */
function saltFrom(random: Random): string {
  const words = Array.from({ length: 4 }, () =>
    random.word().toString(16).padStart(8, "0"),
  );
  return `0x${words.join("")}`;
}
