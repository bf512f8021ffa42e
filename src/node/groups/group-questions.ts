import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import type { Body } from "../body.ts";

/** Descriptions that are asked of one peer at a time. Each costs a question to the chain. */
const OFFERS_AT_ONCE = 16;
/** How often a peer is asked for the descriptions of a page of groups that it named. After that, it is asked for the next. */
const OFFER_TRIES = 8;
/** Retries between two questions to one peer, after many that it did not answer: about a minute. */
const PAUSE_MAX = 256;

/** The conversation with one peer. */
interface Talk {
  /** Groups up to this address have been talked about. */
  after: GroupAddress | undefined;
  /** Where to go on when all of those below are settled; undefined when there are no more. */
  next: GroupAddress | undefined;
  /** Groups that the peer named, and that this node does not have. */
  readonly wanted: Set<GroupAddress>;
  /** It was asked which groups there are, and has not answered. */
  isAsked: boolean;
  /** It has named all groups at least once. */
  hasAnswered: boolean;
  /** There is nothing more to ask. */
  isDone: boolean;
  tries: number;
  dueRound: number;
}

/** Asks peers in which groups this node is a member, and for descriptions of those that it does not have. */
export class GroupQuestions {
  readonly #ports: {
    readonly has: (group: GroupAddress) => boolean;
    readonly send: (to: NodeName, body: Body) => void;
  };
  readonly #talks = new Map<NodeName, Talk>();
  /** Counts retries. */
  #round = 0;

  constructor(ports: {
    readonly has: (group: GroupAddress) => boolean;
    readonly send: (to: NodeName, body: Body) => void;
  }) {
    this.#ports = ports;
  }

  /** Peers that have not named all groups yet. */
  get unanswered(): readonly NodeName[] {
    return this.#named(false);
  }

  get answered(): readonly NodeName[] {
    return this.#named(true);
  }

  #named(hasAnswered: boolean): readonly NodeName[] {
    return [...this.#talks].flatMap(([name, talk]) =>
      talk.hasAnswered === hasAnswered ? [name] : [],
    );
  }

  /** Asks a peer from the beginning, at the next retry. */
  begin(peer: NodeName): void {
    this.#talks.set(peer, {
      after: undefined,
      next: undefined,
      wanted: new Set(),
      isAsked: false,
      hasAnswered: this.#talks.get(peer)?.hasAnswered ?? false,
      isDone: false,
      tries: 0,
      dueRound: 0,
    });
  }

  /** `isIncomplete`: a group is missing, so those who have answered are asked again now and then. */
  repeat({ isIncomplete }: { readonly isIncomplete: boolean }): void {
    this.#round += 1;
    for (const [peer, talk] of this.#talks) {
      if (talk.dueRound > this.#round) continue;
      if (talk.isDone) {
        if (!isIncomplete) continue;
        talk.isDone = false;
        talk.after = undefined;
      }
      this.#ask(peer, talk);
    }
  }

  #ask(peer: NodeName, talk: Talk): void {
    for (const group of talk.wanted)
      if (this.#ports.has(group) || talk.tries > OFFER_TRIES)
        this.drop(peer, group);
    if (talk.isDone) return;
    this.#wait(talk);
    if (talk.wanted.size === 0) {
      talk.isAsked = true;
      this.#ports.send(peer, { type: "groups-wanted", after: talk.after });
    }
    for (const group of [...talk.wanted].slice(0, OFFERS_AT_ONCE))
      this.#ports.send(peer, { type: "offer-wanted", group });
  }

  #wait(talk: Talk): void {
    const pause = Math.min(2 ** Math.min(talk.tries, 16), PAUSE_MAX);
    talk.tries += 1;
    talk.dueRound = this.#round + pause;
  }

  /** False if nobody asked, or the answer leads nowhere. */
  told(
    from: NodeName,
    answer: Extract<Body, { readonly type: "groups-told" }>,
  ): boolean {
    const talk = this.#talks.get(from);
    if (talk?.isAsked !== true) return false;
    const { groups, next } = answer;
    // A peer must not send this node round and round.
    if (next !== undefined && next <= (talk.after ?? "")) return false;
    talk.isAsked = false;
    talk.next = next;
    for (const group of groups)
      if (!this.#ports.has(group)) talk.wanted.add(group);
    if (talk.wanted.size === 0) this.#turnPage(talk);
    else talk.tries = 0;
    talk.dueRound = talk.isDone ? talk.dueRound : this.#round + 1;
    return true;
  }

  /** This node has joined a group, so there is no need to wait before the next ones are asked for. */
  joined(peer: NodeName, group: GroupAddress): void {
    const talk = this.#talks.get(peer);
    if (talk?.wanted.has(group) !== true) return;
    talk.tries = 0;
    talk.dueRound = this.#round + 1;
    this.drop(peer, group);
  }

  /** This node has a group already, or will not have it on this peer's word. */
  drop(peer: NodeName, group: GroupAddress): void {
    const talk = this.#talks.get(peer);
    if (talk?.wanted.delete(group) !== true || talk.wanted.size > 0) return;
    this.#turnPage(talk);
  }

  #turnPage(talk: Talk): void {
    talk.after = talk.next;
    talk.isDone = talk.next === undefined;
    talk.hasAnswered ||= talk.isDone;
  }
}
