import type { Effect } from "../protocol/effects.ts";
import type { NodeName } from "../protocol/ids.ts";
import { proofFor, type Sequencer } from "../protocol/sequencer.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { Bundles } from "../store/bundles.ts";
import type { Body } from "./body.ts";
import { unpackedProof } from "./packed-bundles.ts";

/**
 * Bundles that are read for one member between two retries, in all groups together: each may be a megabyte, which has to be parsed.
 * Whoever needs more asks again.
 */
const SHOWN_MAX = 16;

/** Shows members their own steps in bundles that this node endorsed. */
export class Showing {
  readonly #ports: {
    readonly bundles: Pick<Bundles, "find">;
    readonly send: (to: NodeName, body: Body) => void;
  };
  /** How many were read since the last retry. */
  readonly #shown = new Map<NodeName, number>();

  constructor(ports: {
    readonly bundles: Pick<Bundles, "find">;
    readonly send: (to: NodeName, body: Body) => void;
  }) {
    this.#ports = ports;
  }

  show(
    {
      stored: { address: group },
      sequencer,
    }: {
      readonly stored: Pick<StoredGroup, "address">;
      readonly sequencer: Pick<Sequencer, "config">;
    },
    effect: Extract<Effect, { readonly type: "ShowStep" }>,
  ): void {
    const { to, digest } = effect;
    const shown = this.#shown.get(to) ?? 0;
    if (shown >= SHOWN_MAX) return;
    this.#shown.set(to, shown + 1);
    const bundle = this.#ports.bundles.find(group, digest);
    const message = proofFor(sequencer, bundle, effect);
    if (bundle === undefined || message === undefined) return;
    this.#ports.send(to, {
      type: "message",
      group,
      message: unpackedProof(message, bundle),
    });
  }

  /** It is time to answer again. */
  renew(): void {
    this.#shown.clear();
  }
}
