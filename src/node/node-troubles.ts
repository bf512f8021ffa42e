import type { NodeFact } from "./ports.ts";

/** What is wrong with a node as a whole at the moment, for whoever asks what an intent waits for. */
export class NodeTroubles {
  readonly #sentences = new Map<string, string>();

  see(fact: NodeFact): void {
    if (fact.type === "ChainTrouble")
      this.#note("chain", "The chain does not answer as it should", fact);
    if (fact.type === "PayerTrouble")
      this.#note(fact.payer, `The account ${fact.payer} cannot send`, fact);
    if (fact.type === "EndorserTrouble")
      this.#note("endorser", "This node cannot endorse", fact);
  }

  sentences(): readonly string[] {
    return [...this.#sentences.values()];
  }

  #note(
    about: string,
    what: string,
    { reason }: { readonly reason: string | undefined },
  ): void {
    if (reason === undefined) this.#sentences.delete(about);
    else this.#sentences.set(about, `${what}: ${reason}`);
  }
}
