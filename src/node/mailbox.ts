import type { Event } from "../protocol/events.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { Message, MessageOf } from "../protocol/messages.ts";
import { type Body, decodeBody } from "./body.ts";
import type { CatchUp } from "./catch-up.ts";
import { areSignaturesGenuine } from "./genuine.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type { Membership } from "./groups/membership.ts";
import type { NodeLoop, PostToGroup } from "./node-events.ts";
import { bodiesIn } from "./outbox.ts";
import type { PeerLink } from "./peer-link.ts";
import type { Charge, PeerQuotas } from "./peer-quotas.ts";
import type { NodePorts } from "./ports.ts";
import type { Rejoining } from "./groups/rejoining.ts";
import type { Roster } from "./roster.ts";
import type { UserKeys } from "./user-keys.ts";

/** How a node finds groups that it is a member of. */
export type GroupsBody = Extract<
  Body,
  { readonly type: "groups-wanted" | "groups-told" | "offer-wanted" }
>;

/** What only members of a group say to each other. */
type GroupBody = Extract<Body, { readonly type: "message" | "ask" | "tell" }>;

interface Received {
  readonly from: NodeName;
  readonly message: Message;
}

interface MailboxPorts extends Pick<NodePorts, "directory"> {
  readonly link: Pick<PeerLink, "open" | "dropped">;
  readonly loop: Pick<NodeLoop, "post">;
  readonly post: PostToGroup;
  readonly quotas: PeerQuotas;
  readonly roster: Pick<Roster, "find">;
  readonly schedule: Pick<GroupSchedule<GroupRunner>, "ticks">;
  readonly catchUp: Pick<CatchUp, "answer" | "learn">;
  readonly membership: Pick<Membership, "consider" | "joined">;
  readonly rejoining: Pick<Rejoining, "receive" | "peerStarted">;
  readonly userKeys: Pick<UserKeys, "answer" | "learn">;
  readonly fail: (error: unknown) => void;
}

/** What comes from peers is checked here, once; what does not pass is counted and dropped. */
export class Mailbox {
  readonly #ports: MailboxPorts;
  readonly #dropped: Record<string, number> = {};
  /** Only peers whose keys this node knows get here. */
  readonly #heard = new Map<NodeName, number>();

  constructor(ports: MailboxPorts) {
    this.#ports = ports;
  }

  start(): void {
    const { link, loop, rejoining } = this.#ports;
    link.open(
      (from, bodies) => {
        for (const body of bodiesIn(bodies))
          if (body === undefined) this.#drop("too many");
          else this.#receive(from, body);
      },
      (peer, boot) => {
        rejoining.peerStarted(peer);
        loop.post({ type: "peer-started", peer, boot });
      },
    );
  }

  dropped(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = { ...this.#ports.link.dropped() };
    // Envelopes and what is in them can be wrong in the same way.
    for (const [reason, count] of Object.entries(this.#dropped))
      counts[reason] = (counts[reason] ?? 0) + count;
    return counts;
  }

  /** The tick at which a peer was last heard; undefined if it was not since the start. */
  heardAt(peer: NodeName): number | undefined {
    return this.#heard.get(peer);
  }

  #receive(from: NodeName, wire: string): void {
    this.#heard.set(from, this.#ports.schedule.ticks);
    const decoded = decodeBody(wire);
    if (decoded.type === "dropped") {
      this.#drop(decoded.reason);
      return;
    }
    const { body } = decoded;
    const { membership, rejoining, userKeys } = this.#ports;
    switch (body.type) {
      case "offer":
        membership.consider(from, body.offer);
        return;
      case "joined":
        membership.joined(body.group, from);
        return;
      case "groups-wanted":
      case "groups-told":
      case "offer-wanted":
        if (!rejoining.receive(from, body)) this.#drop("too many");
        return;
      case "key-wanted":
        if (!userKeys.answer(from, body.name)) this.#drop("too many");
        return;
      case "key":
        if (!userKeys.learn(from, body.name, body.publicKey))
          this.#drop("key of nobody");
        return;
      case "message":
      case "ask":
      case "tell":
        this.#receiveOfGroup(from, body, wire.length);
    }
  }

  #receiveOfGroup(from: NodeName, body: GroupBody, length: number): void {
    const { roster, catchUp, quotas } = this.#ports;
    const runner = roster.find(body.group);
    if (runner === undefined) this.#drop("unknown group");
    else if (!runner.group.members.includes(from)) this.#drop("no member");
    else if (body.type === "ask") {
      if (!catchUp.answer(runner, from, body)) this.#drop("too many");
    } else {
      // Peers repeat what is dropped.
      const charge = quotas.take(from, length);
      if (charge === undefined) this.#drop("too many");
      else if (body.type === "message")
        this.#receiveMessage(runner, { from, ...body }, charge);
      else if (!catchUp.learn(runner, from, body, charge))
        quotas.release(charge);
    }
  }

  #receiveMessage(
    runner: GroupRunner,
    { from, message }: Received,
    charge: Charge,
  ): void {
    const { directory, post, quotas } = this.#ports;
    if (message.type === "Endorsement") {
      const work = askedFor(runner, message);
      if (work === undefined) this.#drop("endorsement of nothing");
      // It has enough of them.
      if (work?.isEndorsed !== false) {
        quotas.release(charge);
        return;
      }
    }
    const event = { type: "MessageReceived", from, message } as const;
    const isGenuine = areSignaturesGenuine(
      runner,
      { from, message },
      directory,
    );
    if (isGenuine === undefined) post(runner, event, charge);
    else this.#check(runner, isGenuine, event, charge);
  }

  /** Passes a message on if its signatures are genuine. */
  #check(
    runner: GroupRunner,
    isGenuine: Promise<boolean>,
    event: Extract<Event, { readonly type: "MessageReceived" }>,
    charge: Charge,
  ): void {
    const { post, quotas, fail } = this.#ports;
    isGenuine
      .then((isGood) => {
        if (isGood) {
          post(runner, event, charge);
          return;
        }
        quotas.release(charge);
        this.#drop("forged signature");
      })
      .catch(fail);
  }

  #drop(reason: string): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
  }
}

/** The bundle that this node gathers endorsements of. To look at a signature is expensive, to make one up is not. */
function askedFor(
  { sequencer }: GroupRunner,
  { digest }: MessageOf<"Endorsement">,
): { readonly isEndorsed: boolean } | undefined {
  const { bundles, preparations } = sequencer.coordinator;
  return [...bundles, ...preparations].find(
    ({ bundle }) => bundle.digest === digest,
  );
}
