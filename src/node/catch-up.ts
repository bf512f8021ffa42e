import type { StateId as LedgerId } from "../ledger/index.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Store } from "../store/store.ts";
import type { Timers } from "../async/timers.ts";
import type { Body, ToldState } from "./body.ts";
import { ASKED_MAX } from "./body.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { NodeDraft } from "./group-effects.ts";
import type { NodeLoop, StatesTold } from "./node-events.ts";
import type { Lesson } from "./node-writes.ts";
import type { Charge } from "./peer-quotas.ts";

/** How much content one answer carries at most, so that it stays far below what a message may be. */
const ANSWER_BYTES_MAX = 1_000_000;
/** Questions of one member that are answered between two retries: some thousands of states in a second. The rest is asked again. */
const ANSWERS_MAX = 16;
/** Retries between two questions about one state, after many that nobody answered. */
const PAUSE_MAX = 64;
/** How often endorsers are asked about a state before other members are: those may see less, and need not know what is missing here. */
const ENDORSERS_FIRST = 3;
/** Endorsers that an endorser asks at a time. Whoever does not endorse asks as many as it must believe. */
const ASKED_AT_ONCE = 2;
/** Checks for one coordinator of a group that wait for content: several times as many as it has on its way. More do not wait. */
const WAITING_MAX = 32;

/** A group whose states it looks after. */
export type Group = Pick<GroupRunner, "group" | "book" | "mayKnow">;

/** Something that waits for the content of these states. */
interface Waiting {
  readonly coordinator: NodeName;
  readonly states: ReadonlySet<LedgerId>;
  readonly run: () => void;
}

/** How often members were asked about a state, and when they are asked again. */
interface Search {
  readonly tries: number;
  readonly dueRound: number;
}

interface CatchUpPorts {
  readonly store: Store;
  readonly loop: Pick<NodeLoop, "post">;
  readonly timers: Timers;
  readonly send: (to: NodeName, body: Body) => void;
}

/**
 * Gets the content of states that are on the ledger and that this node was not told about: it asks endorsers, then all other
 * members, until it has them, or until as many endorsers as the ledger wants for a transition say that it may not see them: not all
 * of those lie. And answers those who ask, if they may see what they ask for. Only what uses such a state waits for it.
 */
export class CatchUp {
  readonly #self: NodeName;
  readonly #ports: CatchUpPorts;
  /** Counts retries. */
  #round = 0;
  readonly #searches = new WeakMap<Group, Map<LedgerId, Search>>();
  readonly #waiting = new Map<Group, Set<Waiting>>();
  /** Who said that this node may not see a state. */
  readonly #denials = new Map<LedgerId, Set<NodeName>>();
  /** Questions that were answered since the last retry. */
  readonly #answers = new Map<NodeName, number>();

  constructor(options: { readonly self: NodeName }, ports: CatchUpPorts) {
    this.#self = options.self;
    this.#ports = ports;
  }

  /**
   * Runs something as soon as the content of these states is known, or they are spent: at once, or later. At the latest after so
   * long. Those who use the states have their content, so they are asked at once.
   */
  whenKnown(
    runner: Group,
    wanted: {
      readonly states: ReadonlySet<LedgerId>;
      /** Who wants it checked, and the senders of the steps that use the states. */
      readonly coordinator: NodeName;
      readonly users: Iterable<NodeName>;
      readonly waitMs: number;
    },
    run: () => void,
  ): void {
    const missing = [...wanted.states].filter((id) =>
      runner.book.missing.has(id),
    );
    const { coordinator } = wanted;
    const others = this.#waiting.get(runner) ?? new Set();
    const own = [...others].filter((one) => one.coordinator === coordinator);
    if (missing.length === 0 || own.length >= WAITING_MAX) {
      run();
      return;
    }
    const waiting: Waiting = {
      coordinator,
      states: new Set(missing),
      run: () => {
        callOff();
        run();
      },
    };
    const callOff = this.#ports.timers.after(wanted.waitMs, () => {
      if (!others.delete(waiting)) return;
      if (others.size === 0) this.#waiting.delete(runner);
      run();
    });
    this.#waiting.set(runner, others.add(waiting));
    const states = missing.slice(0, ASKED_MAX);
    for (const user of new Set([...wanted.users, coordinator]))
      if (user !== this.#self) this.#askFor(runner, user, states);
  }

  /** To be called whenever something may have become known. */
  release(runner: Group): void {
    const waiting = this.#waiting.get(runner);
    if (waiting === undefined) return;
    const { missing } = runner.book;
    for (const one of [...waiting]) {
      if ([...one.states].some((id) => missing.has(id))) continue;
      waiting.delete(one);
      one.run();
    }
    if (waiting.size === 0) this.#waiting.delete(runner);
  }

  /** The same for all groups. */
  releaseAll(): void {
    for (const runner of [...this.#waiting.keys()]) this.release(runner);
  }

  /** After a block: those who endorse have what they need; others are told nothing unless they ask. */
  askAtOnce(runner: Group): void {
    if (!runner.group.endorsers.includes(this.#self)) this.ask(runner);
  }

  /** It is time to ask again for what nobody has told, and to answer again. */
  retry(runners: Iterable<Group>): void {
    this.#round += 1;
    this.#answers.clear();
    for (const runner of runners) this.ask(runner);
  }

  /** Asks for what is missing and has not been asked for lately: the next members, for each state. */
  ask(runner: Group): void {
    const { missing } = runner.book;
    if (missing.size === 0) {
      this.#searches.delete(runner);
      return;
    }
    // Nobody answers a node that is no member.
    if (!runner.group.members.includes(this.#self)) return;
    const searches = this.#searches.get(runner) ?? new Map<LedgerId, Search>();
    this.#searches.set(runner, searches);
    for (const id of searches.keys()) if (!missing.has(id)) searches.delete(id);
    const questions = new Map<NodeName, LedgerId[]>();
    for (const { id, tries } of this.#due(missing.keys(), searches)) {
      const pause = Math.min(2 ** Math.min(tries, 16), PAUSE_MAX);
      searches.set(id, { tries: tries + 1, dueRound: this.#round + pause });
      for (const to of this.#nextFor(runner, tries)) {
        const states = questions.get(to);
        if (states === undefined) questions.set(to, [id]);
        else states.push(id);
      }
    }
    for (const [to, states] of questions) this.#askFor(runner, to, states);
  }

  /** Whom it asked about states that are missing: those who were asked most often about one. */
  asked(runner: Group): readonly NodeName[] {
    const searches = this.#searches.get(runner);
    const names = new Set<NodeName>();
    const most = Math.max(
      0,
      ...[...(searches?.values() ?? [])].map(({ tries }) => tries),
    );
    const rounds = Math.min(most, runner.group.members.length);
    for (let tries = most - rounds; tries < most; tries++)
      for (const name of this.#nextFor(runner, tries)) names.add(name);
    return [...names];
  }

  /** States to ask about: those that nobody was asked about yet, then those that have waited longest. */
  #due(
    missing: Iterable<LedgerId>,
    searches: ReadonlyMap<LedgerId, Search>,
  ): (Search & { readonly id: LedgerId })[] {
    const due: (Search & { readonly id: LedgerId })[] = [];
    for (const id of missing) {
      const search = searches.get(id) ?? { tries: 0, dueRound: 0 };
      if (search.dueRound <= this.#round) due.push({ id, ...search });
    }
    return due.sort((a, b) => a.dueRound - b.dueRound).slice(0, ASKED_MAX);
  }

  /** Whom to ask about a state, if others were asked so often: endorsers several times, then everybody else, and so on. */
  #nextFor({ group }: Group, tries: number): Set<NodeName> {
    const { endorsers, members, threshold } = group;
    const start = Math.max(0, members.indexOf(this.#self));
    const inTurn = (names: readonly NodeName[]): NodeName[] =>
      names
        .flatMap((_, i) => names[(start + i) % names.length] ?? [])
        .filter((name) => name !== this.#self);
    const first = inTurn(endorsers);
    const rest = inTurn(members.filter((name) => !endorsers.includes(name)));
    const order = Array.from({ length: ENDORSERS_FIRST }, () => first).flat();
    order.push(...rest);
    // One of them is enough to tell, but not to deny.
    const count = endorsers.includes(this.#self) ? ASKED_AT_ONCE : threshold;
    const next = new Set<NodeName>();
    for (let i = 0; i < count; i++) {
      const name = order[(tries * count + i) % order.length];
      if (name !== undefined) next.add(name);
    }
    return next;
  }

  #askFor({ group }: Group, to: NodeName, states: readonly LedgerId[]): void {
    this.#ports.send(to, { type: "ask", group: group.address, states });
  }

  /** False if a member asks too often. */
  answer(
    runner: Group,
    from: NodeName,
    { states }: Extract<Body, { readonly type: "ask" }>,
  ): boolean {
    const { group } = runner;
    const answers = this.#answers.get(from) ?? 0;
    if (!group.members.includes(from) || answers >= ANSWERS_MAX) return false;
    this.#answers.set(from, answers + 1);
    const told: ToldState[] = [];
    const denied: LedgerId[] = [];
    let bytes = 0;
    for (const ledgerId of states) {
      const known = this.#ports.store.states.byLedgerId(
        group.address,
        ledgerId,
      );
      if (known === undefined || bytes > ANSWER_BYTES_MAX) continue;
      const { id, schema, label, content } = known;
      const data = readData(content);
      const state = { id, schema, label, data };
      if (!runner.mayKnow(from, state)) {
        denied.push(ledgerId);
        continue;
      }
      told.push({ ledgerId, id, content });
      bytes += content.length;
    }
    if (told.length + denied.length > 0)
      this.#ports.send(from, {
        type: "tell",
        group: group.address,
        states: told,
        denied,
      });
    return true;
  }

  /** Posts what was missing; everything else that is told is dropped. False if nothing of it was missing. */
  learn(
    group: Group,
    from: NodeName,
    { states, denied }: Extract<Body, { readonly type: "tell" }>,
    charge?: Charge,
  ): boolean {
    const { missing } = group.book;
    const wanted = states.filter(({ ledgerId }) => missing.has(ledgerId));
    const foreign = denied.filter(
      (id) => missing.has(id) && this.#isForeign(group, from, id),
    );
    if (wanted.length + foreign.length === 0) return false;
    const told = { group, states: wanted, foreign, charge } as const;
    this.#ports.loop.post({ type: "states-told", ...told });
    return true;
  }

  /** Keeps what a peer told. */
  keep(draft: NodeDraft, { group, states, foreign }: StatesTold): void {
    const lesson: Lesson = { group, states, foreign, isMore: false };
    draft.write({ type: "learn-states", lesson });
    draft.afterCommit({ type: "states-learnt", lesson });
  }

  /** What was told is on the disk. Whether this node knows more than before. */
  learnt({ group, states, foreign, isMore }: Lesson): boolean {
    for (const { ledgerId } of states)
      if (!group.book.missing.has(ledgerId)) this.#denials.delete(ledgerId);
    for (const ledgerId of foreign) this.#denials.delete(ledgerId);
    if (!isMore && foreign.length === 0) return false;
    this.release(group);
    return true;
  }

  /** Somebody says that this node may not see a state. True if enough have said so. */
  #isForeign({ group, book }: Group, from: NodeName, id: LedgerId): boolean {
    const { endorsers, threshold } = group;
    if (endorsers.includes(this.#self) || !endorsers.includes(from))
      return false;
    const denials = this.#denials.get(id) ?? new Set();
    this.#denials.set(id, denials.add(from));
    // What was spent meanwhile is not asked for any more.
    if (this.#denials.size > 2 * book.missing.size + ASKED_MAX)
      for (const known of this.#denials.keys())
        if (!book.missing.has(known)) this.#denials.delete(known);
    return denials.size >= threshold;
  }
}

/** Content in the store was checked before it was kept. */
function readData(content: string): never {
  return (JSON.parse(content) as { readonly data: never }).data;
}
