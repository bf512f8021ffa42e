import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import {
  createSeal,
  type DropReason,
  dropReasons,
  EnvelopeOpener,
} from "../../src/network/envelope.ts";
import { envelopeBytesMax } from "../../src/network/envelope-bytes.ts";
import { networkIdOf } from "../../src/network/network-id.ts";
import { Members, sessionOf } from "../helpers/members.ts";
import { randomFrom, type Random } from "../helpers/random.ts";
import { nodeName } from "../helpers/stores.ts";

const members = new Members("alice", "bob", "carol");
const to = (name: string, boot = 1) => ({
  name: nodeName(name),
  session: sessionOf(name, boot),
});
const bob = to("bob");
const otherNetwork = networkIdOf({ chainId: 2n, factory: "0x00" });
const huge = new Uint8Array(envelopeBytesMax + 1);

function withChangedBytes(wire: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(wire);
  for (let n = 0; n <= random.below(4); n++)
    changed[random.below(changed.length)] = random.below(256);
  // Whatever was drawn, one bit is different.
  const at = random.below(changed.length);
  changed[at] = (wire[at] ?? 0) ^ 1;
  return changed;
}

const noise = (random: Random): Uint8Array =>
  Uint8Array.from({ length: random.below(300) }, () => random.below(256));

const noBytes: readonly unknown[] = [
  null,
  7,
  "HSE\u0003",
  {},
  [],
  { length: 200 },
  new Uint16Array(99),
  new ArrayBuffer(300),
  Object.create(Uint8Array.prototype),
];

describe("an opener under attack", function () {
  this.timeout(20_000);

  it("takes only what is genuine, and counts the rest by reason", () => {
    const random = randomFrom(7);
    const opener = new EnvelopeOpener(members.own("bob"));
    const genuine = createSeal(members.own("alice"));
    const forger = (name: NodeName): ReturnType<typeof createSeal> =>
      createSeal({ ...members.own("carol"), name });
    const elsewhere = createSeal(
      members.own("alice", { network: otherNetwork }),
    );
    let misaddressed = 0;
    const counts = new Map<DropReason, number>();
    let taken = 0;
    let last: Uint8Array = genuine(bob, "the first");
    expect(opener.open(last).type).to.equal("body");

    const attacks: readonly ((wire: Uint8Array) => unknown)[] = [
      (wire) => withChangedBytes(wire, random),
      (wire) => wire.subarray(0, random.below(wire.length)),
      (wire) => wire.subarray(1 + random.below(wire.length - 1)),
      (wire) => Buffer.concat([wire, noise(random), Buffer.of(0)]),
      () => noise(random),
      () => huge,
      () => random.pick(noBytes),
      () => last,
      () => forger(nodeName("alice"))(bob, "I am alice"),
      () => forger(nodeName("mallory"))(bob, "I am nobody"),
      () => elsewhere(bob, "from another network"),
      () => genuine(to("bob", 2), "for another session"),
      () => forger(nodeName("alice"))(to("bob", 2), "for another session"),
      () => forger(nodeName("carol"))(to("alice"), "for somebody else"),
    ];
    for (let n = 0; n < 10_000; n++) {
      const wire = genuine(bob, `genuine ${n}`);
      const opened = opener.open(random.pick(attacks)(wire));
      if (opened.type === "misaddressed") misaddressed += 1;
      else if (opened.type !== "dropped") taken += 1;
      else counts.set(opened.reason, (counts.get(opened.reason) ?? 0) + 1);
      // Now and then a genuine one comes, and is taken whatever came before.
      if (n % 10 === 0) {
        expect(opener.open(wire)).to.deep.equal({
          type: "body",
          from: "alice",
          isNewBoot: false,
          body: `genuine ${n}`,
        });
        last = wire;
      }
    }
    expect(taken).to.equal(0);
    expect(misaddressed).to.be.greaterThan(100);
    const sum = [...counts.values()].reduce((all, count) => all + count);
    expect(misaddressed + sum).to.equal(10_000);
    for (const reason of dropReasons)
      expect(counts.get(reason), reason).to.be.greaterThan(100);
  });
});
