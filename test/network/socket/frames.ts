import { expect } from "chai";
import fc from "fast-check";

import {
  emptyFrame,
  frameHeader,
  FrameReader,
} from "../../../src/network/socket/frames.ts";

const bytesMax = 300;

function* read(
  chunks: readonly Uint8Array[],
): Generator<Uint8Array | "oversized"> {
  const reader = new FrameReader({ bytesMax });
  for (const chunk of chunks) yield* reader.read(chunk);
}

const streamOf = (frames: readonly Uint8Array[]): Buffer =>
  Buffer.concat(frames.flatMap((frame) => [frameHeader(frame.length), frame]));

/** The stream in pieces, cut at these places. */
function cut(stream: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = places
    .map((place) => place % (stream.length + 1))
    .sort((a, b) => a - b);
  return [0, ...at].map((from, n) =>
    stream.subarray(from, at[n] ?? stream.length),
  );
}

const shown = (frames: Iterable<Uint8Array | "oversized">): readonly string[] =>
  Array.from(frames, (frame) =>
    typeof frame === "string" ? frame : Buffer.from(frame).toString("hex"),
  );

describe("a reader of frames", () => {
  const frames = fc.array(fc.uint8Array({ maxLength: bytesMax }), {
    maxLength: 12,
  });
  const places = fc.array(fc.nat(), { maxLength: 40 });

  it("gives the same frames in whatever chunks they come", () => {
    fc.assert(
      fc.property(frames, places, (sent, at) => {
        const chunks = cut(streamOf(sent), at);
        expect(shown(read(chunks))).to.deep.equal(shown(sent));
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });

  it("gives them byte by byte, and knows whether it is inside one", () => {
    const sent = [Buffer.from("hello"), Buffer.alloc(0), Buffer.from("you")];
    const reader = new FrameReader({ bytesMax });
    const insides: boolean[] = [];
    const got: string[] = [];
    for (const byte of streamOf(sent)) {
      got.push(...shown(reader.read(Buffer.of(byte))));
      insides.push(reader.isInside);
    }
    expect(got).to.deep.equal(shown(sent));
    const ends = insides.flatMap((isInside, n) => (isInside ? [] : [n]));
    expect(ends).to.deep.equal([8, 12, 19]);
  });

  it("stops at one that is too large, before its bytes come", () => {
    fc.assert(
      fc.property(
        frames,
        places,
        fc.integer({ min: bytesMax + 1, max: 2 ** 32 - 1 }),
        (sent, at, length) => {
          const stream = Buffer.concat([streamOf(sent), frameHeader(length)]);
          expect(shown(read(cut(stream, at)))).to.deep.equal([
            ...shown(sent),
            "oversized",
          ]);
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });

  it("reads whatever it is given", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        for (const frame of read(chunks)) {
          if (frame === "oversized") return;
          expect(frame.length).to.be.at.most(bytesMax);
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("takes a frame of no bytes for what it is", () => {
    expect(shown(read([emptyFrame, emptyFrame]))).to.deep.equal(["", ""]);
  });
});
