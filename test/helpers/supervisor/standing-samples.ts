import { expect } from "chai";

import type { ReplicaProcess } from "../replica-process.ts";

const EVERY_MS = 50;

interface Standing {
  readonly name: string;
  readonly isCertain: boolean;
  readonly epoch: number;
  /** Nanoseconds of a clock that all processes of the machine share. */
  readonly at: number;
}

/** Asks replicas all the time whether they may answer as active, and under which epoch. */
export class StandingSamples {
  readonly #samples: Standing[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(replicas: () => readonly ReplicaProcess[]) {
    this.#timer = setInterval(() => {
      for (const one of replicas())
        void one.ask({ does: "standing" }).then((answer) => {
          if (answer === "gone") return;
          const standing = answer as Omit<Standing, "name">;
          this.#samples.push({ ...standing, name: one.name });
        });
    }, EVERY_MS);
  }

  /** Stops, and checks that nobody was certain of an epoch after another one was of a later epoch. */
  check(): void {
    clearInterval(this.#timer);
    const certain = this.#samples
      .filter(({ isCertain }) => isCertain)
      .sort((a, b) => a.at - b.at);
    expect(certain).not.to.deep.equal([]);
    const owners = new Map<number, string>();
    let epoch = 0;
    for (const one of certain) {
      expect(one.epoch, `${one.name} at ${one.at}`).to.be.at.least(epoch);
      expect(owners.get(one.epoch) ?? one.name).to.equal(one.name);
      owners.set(one.epoch, one.name);
      epoch = one.epoch;
    }
  }
}
