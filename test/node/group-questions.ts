import { expect } from "chai";

import type { GroupAddress } from "../../src/protocol/ids.ts";
import type { Body } from "../../src/node/body.ts";
import { GroupQuestions } from "../../src/node/groups/group-questions.ts";
import { groupAt, nodeName } from "../helpers/stores.ts";

const alice = nodeName("alice");
const bob = nodeName("bob");

/** A node that asks peers, and what it has asked. */
class Asker {
  readonly known = new Set<GroupAddress>();
  readonly questions = new GroupQuestions({
    has: (group) => this.known.has(group),
    send: (to, body) => {
      this.sent.push({ to, body });
    },
  });
  sent: { readonly to: string; readonly body: Body }[] = [];

  /** The next retry: what is asked of a peer. */
  next(peer: string = alice, isIncomplete = false): readonly Body[] {
    this.sent = [];
    this.questions.repeat({ isIncomplete });
    return this.sent.flatMap(({ to, body }) => (to === peer ? [body] : []));
  }

  /** The rounds in which something is asked of a peer. */
  roundsAsked(count: number, peer: string = alice): readonly number[] {
    return Array.from({ length: count }, (_, round) => round).filter(
      () => this.next(peer).length > 0,
    );
  }
}

const told = (
  groups: readonly GroupAddress[],
  next?: GroupAddress,
): Extract<Body, { readonly type: "groups-told" }> => ({
  type: "groups-told",
  groups,
  next,
});

describe("Questions for the groups of a node", () => {
  let asker: Asker;
  beforeEach(() => {
    asker = new Asker();
    asker.questions.begin(alice);
  });

  it("lead through all pages of a peer, and to every group that is not known", () => {
    const groups = Array.from({ length: 600 }, (_, i) => groupAt(i + 1)).sort();
    asker.known.add(groups[3] ?? groupAt(0));
    let rounds = 0;
    while (asker.questions.unanswered.length > 0 && rounds < 200) {
      rounds += 1;
      for (const body of asker.next())
        if (body.type === "groups-wanted") {
          const page = groups
            .filter((group) => group > (body.after ?? ""))
            .slice(0, 256);
          const next = page.length < 256 ? undefined : page.at(-1);
          expect(asker.questions.told(alice, told(page, next))).to.equal(true);
        } else if (body.type === "offer-wanted") {
          expect(asker.known.has(body.group)).to.equal(false);
          asker.known.add(body.group);
          asker.questions.joined(alice, body.group);
        }
    }
    expect([...asker.known].sort()).to.deep.equal(groups);
    expect(asker.next()).to.deep.equal([]);
    expect(asker.questions.answered).to.deep.equal([alice]);
  });

  it("come ever less often to a peer that is silent, and others are asked meanwhile", () => {
    expect(asker.roundsAsked(300)).to.deep.equal([
      0, 1, 3, 7, 15, 31, 63, 127, 255,
    ]);
    asker.questions.begin(bob);
    expect(asker.next(bob)).to.have.length(1);
    expect(asker.questions.told(bob, told([]))).to.equal(true);
    expect(asker.questions.unanswered).to.deep.equal([alice]);
    expect(asker.questions.answered).to.deep.equal([bob]);
    // It is asked at once when it is up again.
    asker.questions.begin(alice);
    expect(asker.next()).to.have.length(1);
  });

  it("are not answered by what nobody asked for, nor by a page that leads back", () => {
    expect(asker.questions.told(alice, told([groupAt(1)]))).to.equal(false);
    expect(asker.questions.told(bob, told([groupAt(1)]))).to.equal(false);
    asker.next();
    expect(asker.questions.told(alice, told([], groupAt(5)))).to.equal(true);
    expect(asker.next()).to.deep.equal([
      { type: "groups-wanted", after: groupAt(5) },
    ]);
    for (const next of [groupAt(5), groupAt(4)])
      expect(asker.questions.told(alice, told([], next))).to.equal(false);
    expect(asker.questions.told(alice, told([]))).to.equal(true);
    expect(asker.questions.told(alice, told([]))).to.equal(false);
  });

  it("end when a peer names groups that it does not describe, or describes wrongly", () => {
    asker.next();
    const groups = Array.from({ length: 20 }, (_, i) => groupAt(i + 1));
    asker.questions.told(alice, told(groups));
    expect(asker.next()).to.have.length(16);
    for (const group of groups.slice(0, 16)) asker.questions.drop(alice, group);
    // What is wrong does not make it ask sooner.
    expect(asker.roundsAsked(2_000)).to.deep.equal([
      0, 2, 6, 14, 30, 62, 126, 254,
    ]);
    expect(asker.questions.unanswered).to.deep.equal([]);
  });

  it("are asked again now and then as long as a group is missing", () => {
    const rounds = Array.from({ length: 1_000 }, (_, round) => round);
    const asked = rounds.filter(() => {
      const bodies = asker.next(alice, true);
      if (bodies.length > 0) asker.questions.told(alice, told([]));
      return bodies.length > 0;
    });
    expect(asked.slice(0, 9)).to.deep.equal([0, 1, 3, 7, 15, 31, 63, 127, 255]);
    expect(asked.slice(9)).to.deep.equal([511, 767]);
  });
});
