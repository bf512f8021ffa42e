import { NodeRefusal } from "./service.ts";

/** Names a request to the loop of a node whose answer somebody waits for. */
export type RequestId = number;

/** The node stopped before a request was answered. The next start shows whether what it asked for is on the disk. */
export class NodeStopped extends NodeRefusal {
  constructor() {
    super("The node has stopped.");
  }
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Requests to the loop of a node that are not answered yet. */
export class Requests {
  readonly #waiting = new Map<RequestId, Waiting>();
  #last = 0;
  #isStopped = false;

  /** Rejects with a {@link NodeRefusal} if the loop refuses, and with {@link NodeStopped} if there is no answer. */
  async ask(post: (request: RequestId) => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (this.#isStopped) {
        reject(new NodeStopped());
        return;
      }
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      post(id);
    });
  }

  answer(id: RequestId, refusal: string | undefined): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (refusal === undefined) waiting?.resolve();
    else waiting?.reject(new NodeRefusal(refusal));
  }

  /** Nobody will answer any more. */
  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.values()) reject(new NodeStopped());
    this.#waiting.clear();
  }
}
