import { SigningKey } from "ethers";

import type { NodeName } from "../protocol/ids.ts";
import { createRecent, recall, remember } from "../protocol/recent.ts";
import { isName } from "../keys/user-names.ts";
import { NodeRefusal, type NodeService } from "./service.ts";
import type { Body } from "./body.ts";
import type { NodePorts } from "./ports.ts";

/** How long a user waits for another node. It is asked many times meanwhile. */
export const KEY_WAIT_MS = 5_000;
/** Keys of other nodes' users that are kept at least. They do not change. */
const KEPT = 10_000;
/** Keys that are asked for at the same time. Each is one line in memory and one message now and then. */
const ASKED_MAX = 1_000;
/** Answers to one peer between two repetitions: each may cost a multiplication on the curve. Peers ask again. */
const ANSWERS_MAX = 32;

type Identity = Parameters<NodeService["publicKeyOf"]>[0];

interface Question extends Identity {
  readonly waiting: {
    readonly resolve: (key: string) => void;
    readonly reject: (error: Error) => void;
  }[];
  readonly cancel: () => void;
}

/** Which key a user has: of this node's users it knows, about others it asks their nodes. */
export class UserKeys {
  readonly #self: NodeName;
  readonly #ports: Pick<NodePorts, "wallet" | "directory" | "timers"> & {
    readonly send: (to: NodeName, body: Body) => void;
  };
  readonly #known = createRecent<string, string>(KEPT);
  readonly #asked = new Map<string, Question>();
  readonly #answers = new Map<NodeName, number>();

  constructor(
    options: { readonly self: NodeName },
    ports: Pick<NodePorts, "wallet" | "directory" | "timers"> & {
      readonly send: (to: NodeName, body: Body) => void;
    },
  ) {
    this.#self = options.self;
    this.#ports = ports;
  }

  /** See {@link NodeService.publicKeyOf}. */
  async publicKeyOf(identity: Identity): Promise<string | undefined> {
    const { name, node } = identity;
    if (!isName(name)) return undefined;
    if (node === this.#self) return this.#ports.wallet.keyOf(name).publicKey;
    return recall(this.#known, keyOf(identity)) ?? (await this.#ask(identity));
  }

  /** A peer wants to know a key. False if it wants too much. */
  answer(to: NodeName, name: string): boolean {
    const answers = this.#answers.get(to) ?? 0;
    if (answers >= ANSWERS_MAX) return false;
    this.#answers.set(to, answers + 1);
    const { publicKey } = this.#ports.wallet.keyOf(name);
    this.#ports.send(to, { type: "key", name, publicKey });
    return true;
  }

  /** A peer tells the key of a user of its own. False if nobody asked, or it is no key. */
  learn(node: NodeName, name: string, publicKey: string): boolean {
    const key = keyOf({ name, node });
    const question = this.#asked.get(key);
    if (question === undefined || !isPoint(publicKey)) return false;
    remember(this.#known, key, publicKey);
    this.#close(question);
    for (const { resolve } of question.waiting) resolve(publicKey);
    return true;
  }

  /** Questions and answers may have been lost. */
  repeat(): void {
    this.#answers.clear();
    for (const { name, node } of this.#asked.values())
      this.#ports.send(node, { type: "key-wanted", name });
  }

  stop(): void {
    for (const question of [...this.#asked.values()])
      this.#fail(question, "The node has stopped.");
  }

  async #ask(identity: Identity): Promise<string> {
    const { name, node } = identity;
    const { directory, send } = this.#ports;
    const names = directory.names();
    if (!names.includes(node))
      throw new NodeRefusal(
        `"${node}" is no node that ${this.#self} knows. It knows: ${names.join(", ")}.`,
      );
    if (!this.#asked.has(keyOf(identity)) && this.#asked.size >= ASKED_MAX)
      throw new NodeRefusal(
        `${ASKED_MAX} keys are asked for already. Ask again later.`,
      );
    return await new Promise((resolve, reject) => {
      this.#question(identity).waiting.push({ resolve, reject });
      send(node, { type: "key-wanted", name });
    });
  }

  /** Those who want the same key wait together. */
  #question(identity: Identity): Question {
    const known = this.#asked.get(keyOf(identity));
    if (known !== undefined) return known;
    const { name, node } = identity;
    const question: Question = {
      name,
      node,
      waiting: [],
      cancel: this.#ports.timers.after(KEY_WAIT_MS, () => {
        this.#fail(
          question,
          `${node} has not said within ${KEY_WAIT_MS / 1_000} seconds which key ${name} has. Check that it runs, and ask again.`,
        );
      }),
    };
    this.#asked.set(keyOf(identity), question);
    return question;
  }

  #fail(question: Question, reason: string): void {
    this.#close(question);
    for (const { reject } of question.waiting) reject(new NodeRefusal(reason));
  }

  #close(question: Question): void {
    question.cancel();
    this.#asked.delete(keyOf(question));
  }
}

function keyOf({ name, node }: Identity): string {
  return `${name}@${node}`;
}

/** Whether this is a point of the curve. */
function isPoint(publicKey: string): boolean {
  try {
    return SigningKey.computePublicKey(publicKey, false) === publicKey;
  } catch {
    return false;
  }
}
