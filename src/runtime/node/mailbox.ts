import type { Event } from "../../protocol/events.ts";
import type { GroupAddress, NodeName } from "../../protocol/ids.ts";
import type { Message, MessageOf } from "../../protocol/messages.ts";
import type { SealedTransport } from "../transport/sealed-transport.ts";
import { type Body, decodeBody } from "./body.ts";
import { areSignaturesGenuine } from "./genuine.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { GroupOffer } from "./offer.ts";
import { bodiesIn, Outbox } from "./outbox.ts";
import { PeerQuotas } from "./peer-quotas.ts";
import type { NodePorts } from "./ports.ts";
import type { Turns } from "./turns.ts";
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

interface MailboxPorts extends Pick<
  NodePorts,
  "connect" | "store" | "directory"
> {
  readonly turns: Turns;
  readonly runner: (group: GroupAddress) => GroupRunner | undefined;
  /** `onTaken` is called when the event has its turn. */
  readonly tell: (
    runner: GroupRunner,
    event: Event,
    onTaken: () => void,
  ) => void;
  readonly fail: (error: unknown) => void;
  readonly onAsk: (
    runner: GroupRunner,
    from: NodeName,
    body: Extract<Body, { readonly type: "ask" }>,
  ) => boolean;
  readonly onTell: (
    runner: GroupRunner,
    from: NodeName,
    body: Extract<Body, { readonly type: "tell" }>,
    onTaken: () => void,
  ) => void;
  readonly onOffer: (from: NodeName, offer: GroupOffer) => void;
  readonly onJoined: (from: NodeName, group: GroupAddress) => void;
  /** False if a peer says too much of it. */
  readonly onGroups: (from: NodeName, body: GroupsBody) => boolean;
  /** A peer has started again, or is heard for the first time. */
  readonly onPeerStarted: (peer: NodeName) => void;
  readonly userKeys: Pick<UserKeys, "answer" | "learn">;
  /** The time of the node. */
  readonly ticks: () => number;
}

/** What comes from peers is checked here, once; what does not pass is counted and dropped. */
export class Mailbox {
  readonly #ports: MailboxPorts;
  readonly #dropped: Record<string, number> = {};
  readonly #quotas = new PeerQuotas();
  readonly #outbox = new Outbox({
    send: (to, bodies) => this.#transport?.send(to, bodies),
  });
  /** Only peers whose keys this node knows get here. */
  readonly #heard = new Map<NodeName, number>();
  #transport: SealedTransport | undefined;

  constructor(ports: MailboxPorts) {
    this.#ports = ports;
  }

  open(): void {
    const { connect, store, turns } = this.#ports;
    this.#transport = connect(
      (from, bodies) => {
        for (const body of bodiesIn(bodies))
          if (body === undefined) this.#drop("too many");
          else this.#receive(from, body);
      },
      (peer, boot) => {
        this.#ports.onPeerStarted(peer);
        turns.add({
          run: ({ writes }) => {
            writes.push(() => {
              store.peers.save(peer, boot);
            });
          },
        });
      },
    );
  }

  async close(): Promise<void> {
    await this.#transport?.stop();
  }

  readonly send = (to: NodeName, body: Body): void => {
    this.#outbox.put(to, body);
  };

  dropped(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = { ...this.#transport?.dropped() };
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
    this.#heard.set(from, this.#ports.ticks());
    const decoded = decodeBody(wire);
    if (decoded.type === "dropped") {
      this.#drop(decoded.reason);
      return;
    }
    const { body } = decoded;
    const { userKeys } = this.#ports;
    switch (body.type) {
      case "offer":
        this.#ports.onOffer(from, body.offer);
        return;
      case "joined":
        this.#ports.onJoined(from, body.group);
        return;
      case "groups-wanted":
      case "groups-told":
      case "offer-wanted":
        if (!this.#ports.onGroups(from, body)) this.#drop("too many");
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
    const runner = this.#ports.runner(body.group);
    if (runner === undefined) this.#drop("unknown group");
    else if (!runner.group.members.includes(from)) this.#drop("no member");
    else if (body.type === "ask") {
      if (!this.#ports.onAsk(runner, from, body)) this.#drop("too many");
    } else {
      // Peers repeat what is dropped.
      const onTaken = this.#quotas.take(from, length);
      if (onTaken === undefined) this.#drop("too many");
      else if (body.type === "tell")
        this.#ports.onTell(runner, from, body, onTaken);
      else this.#receiveMessage(runner, { from, ...body }, onTaken);
    }
  }

  #receiveMessage(
    runner: GroupRunner,
    { from, message }: Received,
    onTaken: () => void,
  ): void {
    if (message.type === "Endorsement") {
      const work = askedFor(runner, message);
      if (work === undefined) this.#drop("endorsement of nothing");
      // It has enough of them.
      if (work?.isEndorsed !== false) {
        onTaken();
        return;
      }
    }
    const event = { type: "MessageReceived", from, message } as const;
    const { directory } = this.#ports;
    const isGenuine = areSignaturesGenuine(
      runner,
      { from, message },
      directory,
    );
    if (isGenuine === undefined) this.#ports.tell(runner, event, onTaken);
    else this.#check(runner, isGenuine, { from, message }, onTaken);
  }

  /** Passes a message on if its signatures are genuine. */
  #check(
    runner: GroupRunner,
    isGenuine: Promise<boolean>,
    received: Received,
    onTaken: () => void,
  ): void {
    isGenuine
      .then((isGood) => {
        const event = { type: "MessageReceived", ...received } as const;
        if (isGood) {
          this.#ports.tell(runner, event, onTaken);
          return;
        }
        onTaken();
        this.#drop("forged signature");
      })
      .catch(this.#ports.fail);
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
