import { expect } from "chai";

import {
  type NodeName,
  parseGroupAddress,
  parseNodeName,
} from "../../src/protocol/ids.ts";
import { type Body, decodeBody, encodeBody } from "../../src/node/body.ts";
import { bodiesIn, BODIES_MAX, Outbox } from "../../src/node/outbox.ts";

const [alice, bob] = ["alice", "bob"].map((text): NodeName => {
  const name = parseNodeName(text);
  if (name === undefined) throw new Error(`${text} is no name.`);
  return name;
}) as [NodeName, NodeName];

const group = parseGroupAddress(`0x${"ab".repeat(20)}`);
if (group === undefined) throw new Error("That is no address.");

const saying = (text: string): Body => ({ type: "key-wanted", name: text });
const heartbeat = (height: number): Body => ({
  type: "message",
  group,
  message: { type: "HandoverRequest", height },
});

/** What leaves when these are put into an outbox, one after the other. */
async function posted(
  letters: readonly (readonly [NodeName, Body])[],
): Promise<(readonly [NodeName, string])[]> {
  const sent: (readonly [NodeName, string])[] = [];
  const outbox = new Outbox({
    send: (to, bodies) => sent.push([to, bodies]),
  });
  for (const [to, body] of letters) outbox.put(to, body);
  expect(sent.length * 2).to.be.at.most(letters.length);
  await Promise.resolve();
  return sent;
}

describe("an outbox", () => {
  it("puts all that goes to one node in one envelope, in order", async () => {
    const bodies = [saying("x"), heartbeat(1), heartbeat(2)];
    const sent = await posted([
      ...bodies.map((body) => [alice, body] as const),
      [bob, saying("y")],
    ]);
    expect(sent.map(([to]) => to)).to.deep.equal([alice, bob]);
    const [, wire = ""] = sent[0] ?? [];
    const read = [...bodiesIn(wire)].map((body) => decodeBody(body ?? ""));
    expect(read).to.deep.equal(bodies.map((body) => ({ type: "body", body })));
  });

  it("does not let a line break in a text pass for the end of a body", async () => {
    const [[, wire] = [alice, ""]] = await posted([[alice, saying("a\nb")]]);
    expect([...bodiesIn(wire)]).to.deep.equal([encodeBody(saying("a\nb"))]);
  });

  it("begins another envelope before one becomes too large", async () => {
    const long = saying("x".repeat(200_000));
    const sent = await posted(
      Array.from({ length: 7 }, () => [alice, long] as const),
    );
    const counts = sent.map(([, wire]) => [...bodiesIn(wire)].length);
    expect(counts).to.deep.equal([2, 2, 2, 1]);
  });

  it("begins another envelope before there are too many in one", async () => {
    const sent = await posted(
      Array.from({ length: BODIES_MAX + 1 }, (_, i) => [alice, heartbeat(i)]),
    );
    const counts = sent.map(([, wire]) => [...bodiesIn(wire)].length);
    expect(counts).to.deep.equal([BODIES_MAX, 1]);
  });

  it("takes no more out of a hostile envelope than it would put in", () => {
    const bodies = [...bodiesIn("\n".repeat(1_000_000))];
    expect(bodies.length).to.equal(BODIES_MAX + 1);
    expect(bodies.at(-1)).to.equal(undefined);
  });
});
