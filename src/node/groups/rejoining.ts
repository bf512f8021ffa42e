import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import type { MissingGroup } from "../../store/missing-groups.ts";
import type { Store } from "../../store/store.ts";
import { GROUPS_TOLD_MAX } from "./offer.ts";
import { offerOf, withKnownNames } from "./committees.ts";
import { GroupQuestions } from "./group-questions.ts";
import { OfferRefusal } from "./joining.ts";
import type { Body } from "../body.ts";
import type { GroupsBody } from "../mailbox.ts";
import type { Verdict } from "./membership.ts";
import type { NodePorts } from "../ports.ts";

/** Missing groups that are remembered. Anybody can create groups with any members, for the price of the gas. */
const MISSING_MAX = 1_024;
/** Missing groups that a status names. */
const TOLD_MAX = 20;
/** Questions of one peer that are answered between two retries. Each reads up to 256 groups from the disk. */
const ANSWERS_MAX = 16;

/** A group that this node belongs to and does not know, or the search for such groups. */
export interface RejoinStatus {
  readonly group: GroupAddress | undefined;
  readonly why: string;
}

interface RejoiningPorts extends Pick<NodePorts, "directory" | "onFact"> {
  readonly store: Pick<Store, "groups" | "missingGroups" | "write">;
  readonly has: (group: GroupAddress) => boolean;
  readonly send: (to: NodeName, body: Body) => void;
}

/** What is known of a group that is missing. */
interface Missing extends MissingGroup {
  refusal?: string;
  /** The sentence that was told last. */
  told?: string;
}

/**
 * Gets a node back into its groups after it has lost its disk, or was set back to an older copy of it. Peers are asked in which
 * groups this node is a member, and describe those that it does not know; the ledger decides whether a description is right. The ledger
 * also says in which groups this node endorses, so a group that no peer describes is not passed over in silence.
 */
export class Rejoining {
  readonly #self: NodeName;
  readonly #ports: RejoiningPorts;
  readonly #questions: GroupQuestions;
  readonly #missing = new Map<GroupAddress, Missing>();
  /** Questions that were answered since the last retry. */
  readonly #answers = new Map<NodeName, number>();

  constructor(options: { readonly self: NodeName }, ports: RejoiningPorts) {
    this.#self = options.self;
    this.#ports = ports;
    this.#questions = new GroupQuestions(ports);
  }

  start(): void {
    const { directory, store } = this.#ports;
    for (const name of directory.names())
      if (name !== this.#self) this.#questions.begin(name);
    this.#note(store.missingGroups.list());
  }

  /** A peer that has started again may know more than before. */
  peerStarted(peer: NodeName): void {
    if (peer !== this.#self) this.#questions.begin(peer);
  }

  /** It is time to ask again, and to answer again. */
  repeat(): void {
    this.#answers.clear();
    for (const group of this.#missing.keys())
      if (this.#ports.has(group)) this.#missing.delete(group);
    for (const missing of this.#missing.values()) this.#tell(missing);
    this.#questions.repeat({ isIncomplete: this.#missing.size > 0 });
  }

  /** The ledger was searched up to some block. */
  found(
    groups: readonly MissingGroup[],
    { settled }: { readonly settled: number },
  ): void {
    const { store } = this.#ports;
    this.#note(groups);
    if (settled < store.missingGroups.through()) return;
    const kept = [...this.#missing.values()].filter(
      ({ address, block }) => block <= settled && !this.#ports.has(address),
    );
    store.write(() => {
      store.missingGroups.save(settled, kept);
    });
  }

  #note(groups: readonly MissingGroup[]): void {
    for (const one of groups) {
      const { address } = one;
      const isKnown = this.#missing.has(address) || this.#ports.has(address);
      if (isKnown || this.#missing.size >= MISSING_MAX) continue;
      this.#missing.set(address, { ...one });
    }
  }

  /** Says what a group waits for, whenever that is something else than before. */
  #tell(missing: Missing): void {
    const { address: group } = missing;
    const reason = this.#why(missing);
    if (missing.told === reason) return;
    missing.told = reason;
    this.#ports.onFact({ type: "GroupMissing", group, reason });
  }

  /** An offer of a peer was looked at. */
  considered(from: NodeName, group: GroupAddress, verdict: Verdict): void {
    const missing = this.#missing.get(group);
    if (verdict === "joined") this.#missing.delete(group);
    else if (verdict instanceof OfferRefusal && missing !== undefined)
      // The first is enough: a peer must not fill the log with ever new reasons.
      missing.refusal ??= ` It refused the description by ${from}, because ${verdict.message}.`;
    if (verdict === "joined") this.#questions.joined(from, group);
    else if (verdict !== "later") this.#questions.drop(from, group);
  }

  /** False if a peer asks or says too much. */
  receive(from: NodeName, body: GroupsBody): boolean {
    if (body.type === "groups-told") return this.#questions.told(from, body);
    const answers = this.#answers.get(from) ?? 0;
    if (answers >= ANSWERS_MAX) return false;
    this.#answers.set(from, answers + 1);
    if (body.type === "offer-wanted") this.#describe(from, body.group);
    else this.#list(from, body.after);
    return true;
  }

  #describe(to: NodeName, group: GroupAddress): void {
    const { store, send, directory } = this.#ports;
    const stored = store.groups.get(group);
    if (stored === undefined) return;
    if (withKnownNames(stored, directory).members.includes(to))
      send(to, { type: "offer", offer: offerOf(stored) });
  }

  #list(to: NodeName, after: GroupAddress | undefined): void {
    const { store, send, directory } = this.#ports;
    const page = store.groups.page({ after, limit: GROUPS_TOLD_MAX });
    const groups = page
      .filter((stored) =>
        withKnownNames(stored, directory).members.includes(to),
      )
      .map(({ address }) => address);
    const isLast = page.length < GROUPS_TOLD_MAX;
    const next = isLast ? undefined : page.at(-1)?.address;
    send(to, { type: "groups-told", groups, next });
  }

  /** What this node is missing, and what it waits for. */
  status(search: string | undefined): readonly RejoinStatus[] {
    const told: RejoinStatus[] = [];
    if (search !== undefined) told.push({ group: undefined, why: search });
    const missing = [...this.#missing.values()].filter(
      ({ address }) => !this.#ports.has(address),
    );
    for (const one of missing.slice(0, TOLD_MAX))
      told.push({ group: one.address, why: this.#why(one) });
    if (missing.length > TOLD_MAX)
      told.push({
        group: undefined,
        why: `${missing.length - TOLD_MAX} more groups are missing.`,
      });
    return told;
  }

  #why({ block, refusal = "" }: Missing): string {
    const begin = `The ledger has this node as an endorser since block ${block}, and this node does not know the group.`;
    return `${begin}${refusal} ${this.#waitsFor()}`;
  }

  #waitsFor(): string {
    const { unanswered, answered } = this.#questions;
    if (unanswered.length > 0)
      return `It waits for an answer of ${unanswered.join(", ")}.`;
    return answered.length === 0
      ? "It has no peers to ask: add the other members to its peers."
      : `These peers have answered, and none of them describes it: ${answered.join(", ")}. Add the other members to its peers.`;
  }
}
