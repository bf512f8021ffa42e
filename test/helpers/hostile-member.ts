import { networkIdOf } from "../../src/network/network-id.ts";
import { SigningKey } from "ethers";

import {
  type Address,
  encodeExecute,
  intentIdAt,
  ledgerDomain,
  packEndorsements,
  parseAddress,
} from "../../src/ledger/index.ts";
import type { Hashing } from "../../src/protocol/config.ts";
import {
  type GroupAddress,
  type IntentId,
  type NodeName,
  parseIntentId,
} from "../../src/protocol/ids.ts";
import type { Message, MessageOf } from "../../src/protocol/messages.ts";
import { digestOf, outlineOf } from "../../src/protocol/outline.ts";
import type {
  Bundle,
  Step,
  UnsealedBundle,
} from "../../src/protocol/transition.ts";
import { createEndorser } from "../../src/keys/secp256k1.ts";
import { signTogether } from "../../src/keys/step-signatures.ts";
import { decodeBody, encodeBody } from "../../src/node/body.ts";
import { bodiesIn } from "../../src/node/outbox.ts";
import {
  hashingOf,
  transitionOf,
  withSignature,
} from "../../src/domains/states/arrange.ts";
import { laneOfSender } from "../../src/domains/states/ownership.ts";
import { createState } from "../../src/domains/states/content.ts";
import type { NodeGroup } from "../../src/node/service.ts";
import type { SealedTransport } from "../../src/network/sealed-transport.ts";
import { keyOf } from "./cluster.ts";
import type { HandmadeNodes } from "./handmade-nodes.ts";
import { keyOf as requestKey } from "./lone-node.ts";
import { nodeName } from "./stores.ts";

/** A message that the hostile member got. */
export interface Heard {
  readonly from: NodeName;
  readonly group: GroupAddress;
  readonly message: Message;
}

/** A member of groups with its real keys and code of its own: it says whatever a test wants, and keeps all that it hears. */
export class HostileMember {
  readonly name: NodeName;
  readonly heard: Heard[] = [];
  /** Called for everything that it hears. */
  onHeard: (heard: Heard) => void = () => undefined;
  readonly #nodes: HandmadeNodes;
  readonly #transport: SealedTransport;
  readonly #waiting = new Set<() => void>();
  #requests = 0;
  #series = 0n;

  constructor(nodes: HandmadeNodes, name: string) {
    this.name = nodeName(name);
    this.#nodes = nodes;
    const member = nodes.keys.member(name, { network: networkIdOf(nodes) });
    this.#transport = nodes.hub.join(member, (from, wire) => {
      for (const body of bodiesIn(wire)) this.#hear(from, body ?? "");
    });
  }

  #hear(from: NodeName, wire: string): void {
    const decoded = decodeBody(wire);
    if (decoded.type !== "body" || decoded.body.type !== "message") return;
    const { group, message } = decoded.body;
    const heard = { from, group, message };
    this.heard.push(heard);
    this.onHeard(heard);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with the first message that it has heard, or hears, for which something holds. */
  async hears<Type extends Message["type"]>(
    type: Type,
    holds: (message: MessageOf<Type>, heard: Heard) => boolean = () => true,
  ): Promise<Heard & { readonly message: MessageOf<Type> }> {
    const find = () =>
      this.heard.find(
        (heard): heard is Heard & { readonly message: MessageOf<Type> } =>
          heard.message.type === type &&
          holds(heard.message as MessageOf<Type>, heard),
      );
    return await new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  send(to: NodeName, group: GroupAddress, message: Message): void {
    this.#transport.send(to, encodeBody({ type: "message", group, message }));
  }

  hashingIn(group: GroupAddress): Hashing {
    const { chainId } = this.#nodes;
    const domain = ledgerDomain({ chainId, group: parseAddress(group) });
    return hashingOf({ domain, epoch: 0n });
  }

  /** An intent id that is its own. */
  newIntentId(group: GroupAddress): {
    readonly id: IntentId;
    readonly laneSalt: string;
  } {
    const { chainId } = this.#nodes;
    const laneSalt = `0x${"0d".repeat(16)}`;
    const lane = laneOfSender(
      { chainId, group: parseAddress(group) },
      { sender: this.name, salt: laneSalt },
    );
    const id = parseIntentId(intentIdAt(lane, this.#series++));
    if (id === undefined) throw new Error("no id");
    return { id, laneSalt };
  }

  /** A bundle with the digest that endorsers of a group would sign. */
  seal(group: GroupAddress, unsealed: UnsealedBundle): Bundle {
    return { ...unsealed, digest: digestOf(this.hashingIn(group), unsealed) };
  }

  /** A step that mints a coin, signed as this member, for whichever intent id it likes. */
  mint(
    group: GroupAddress,
    { id, ...changes }: Partial<Step> & { readonly id: IntentId },
  ): Step {
    const data = { account: "pot", amount: "1000000" };
    const step: Step = {
      intentId: id,
      laneSalt: "",
      sender: this.name,
      payload: JSON.stringify({ type: "mint", to: "pot", amount: data.amount }),
      inputs: [],
      reads: [],
      outputs: [
        createState(
          { schema: "coin", label: "pot", data },
          { intentId: id, index: 0 },
        ),
      ],
      infos: [],
      calls: [],
      found: [],
      validUntil: 100,
      salt: "0x00",
      signature: "",
      ...changes,
    };
    const { identity } = this.#nodes.keys.member(this.name);
    const hash = this.hashingIn(group).stepHash(step);
    const [signature = ""] = signTogether([hash], (bytes) =>
      identity.sign(bytes),
    );
    return withSignature(step, signature);
  }

  /** Signs a digest with its endorsing key. */
  endorse(digest: string): string {
    return new SigningKey(keyOf(this.name)).sign(digest).serialized;
  }

  /** Asks members for endorsements of a bundle as if it coordinated. Resolves with their answers. */
  async collect(
    group: GroupAddress,
    bundle: Bundle,
    members: readonly string[],
  ): Promise<readonly (MessageOf<"Endorsement"> | MessageOf<"Refusal">)[]> {
    const key = requestKey(`${this.name}:1:${this.#requests++}`);
    for (const member of members)
      this.send(nodeName(member), group, {
        type: "EndorsementRequest",
        key,
        coordinator: this.name,
        height: this.#nodes.member(members[0] ?? "").node.height(),
        bundle,
        view: { created: [], spent: [] },
      });
    return await Promise.all(
      members.map(async (member) => {
        const isAnswer = (message: Message, { from }: Heard): boolean =>
          "key" in message && message.key === key && from === member;
        const answers = await Promise.race([
          this.hears("Endorsement", isAnswer),
          this.hears("Refusal", isAnswer),
        ]);
        return answers.message;
      }),
    );
  }

  /** Puts an endorsed bundle on the ledger, permitted or not, paid by an account that belongs to no node. */
  async execute(
    group: NodeGroup,
    bundle: Bundle,
    signatures: ReadonlyMap<string, string>,
  ): Promise<void> {
    const addressOf = (name: string): Address =>
      createEndorser(keyOf(name)).address;
    const packed = packEndorsements(
      { members: group.endorsers.map(addressOf).sort() },
      [...signatures].map(([name, signature]) => ({
        member: addressOf(name),
        signature,
      })),
    );
    const outline = outlineOf(this.hashingIn(group.address), bundle);
    const data = encodeExecute(transitionOf(outline, 0n), packed);
    const { client } = this.#nodes;
    const [from] = (await client.request("eth_accounts", [])) as string[];
    const call = { from, to: group.address, data, gas: "0xf00000" };
    await client.request("eth_sendTransaction", [call]);
  }

  async stop(): Promise<void> {
    await this.#transport.stop();
  }
}
