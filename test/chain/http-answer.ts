import { expect } from "chai";
import fc from "fast-check";

import {
  AnswerReader,
  type HttpAnswer,
} from "../../src/chain/client/http-answer.ts";

const MAX = 100;

/** What comes of an answer whose bytes come in pieces that end at these places. */
function read(
  answer: string,
  { cuts = [], isClosed = false }: { cuts?: number[]; isClosed?: boolean } = {},
): HttpAnswer | undefined {
  const bytes = Buffer.from(answer);
  const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length];
  const reader = new AnswerReader({ bodyBytesMax: MAX });
  let start = 0;
  let found: HttpAnswer | undefined;
  for (const end of ends.sort((a, b) => a - b)) {
    expect(found, "complete before its end").to.equal(undefined);
    if (end > start) found = reader.push(bytes.subarray(start, end));
    start = Math.max(start, end);
  }
  return isClosed && found === undefined ? reader.end() : found;
}

const lines = (...all: readonly string[]): string => all.join("\r\n");
const withLength = (body: string, ...headers: readonly string[]): string =>
  lines(
    "HTTP/1.1 200 OK",
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  );
const inChunks = (chunks: readonly string[], ...trailer: string[]): string =>
  lines(
    "HTTP/1.1 200 OK",
    "Transfer-Encoding: chunked",
    "",
    ...chunks.flatMap((chunk) => [
      `${Buffer.byteLength(chunk).toString(16)};note=1`,
      chunk,
    ]),
    "0",
    ...trailer,
    "",
    "",
  );

describe("runtime: answers of HTTP", () => {
  it("are read in any pieces, with a length and in chunks", () => {
    const body = fc.string({ unit: "grapheme", maxLength: 20 });
    const cuts = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(body, { maxLength: 3 }), cuts, (parts, places) => {
        const chunks = parts.filter((part) => part !== "");
        const text = chunks.join("");
        fc.pre(Buffer.byteLength(text) <= MAX);
        for (const answer of [withLength(text), inChunks(chunks)])
          expect(read(answer, { cuts: places })).to.deep.equal({
            status: 200,
            retryAfter: undefined,
            isKept: true,
            text,
          });
      }),
      { numRuns: 500 },
    );
  });

  it("may end with the connection, which is not kept then", () => {
    const answer = lines("HTTP/1.1 200 OK", "", "all of it");
    expect(read(answer)).to.equal(undefined);
    expect(read(answer, { isClosed: true })).to.include({
      text: "all of it",
      isKept: false,
    });
  });

  it("say whether the connection is kept", () => {
    const isKept = (answer: string): boolean | undefined =>
      read(answer)?.isKept;
    expect(isKept(withLength("x", "Connection: close"))).to.equal(false);
    expect(isKept(withLength("x", "connection: Keep-Alive"))).to.equal(true);
    const old = withLength("x").replace("1.1", "1.0");
    expect(isKept(old)).to.equal(false);
    expect(
      isKept(withLength("x", "Connection: keep-alive").replace("1.1", "1.0")),
    ).to.equal(true);
  });

  it("may come behind a head that only says that another one follows, without a body, and with a trailer", () => {
    const early = lines("HTTP/1.1 100 Continue", "", "");
    expect(read(early)).to.equal(undefined);
    expect(read(early + withLength("x"))).to.include({ text: "x" });
    expect(read(lines("HTTP/1.1 204 No Content", "", ""))).to.include({
      status: 204,
      text: "",
      isKept: true,
    });
    expect(read(inChunks(["a", "b"], "Checksum: 1"))).to.include({
      text: "ab",
    });
    expect(
      read(
        lines("HTTP/1.1 429", "Retry-After:  7 ", "Content-Length: 0", "", ""),
      ),
    ).to.include({ status: 429, retryAfter: "7" });
  });

  it("are incomplete while anything of them is missing", () => {
    for (const answer of [withLength("body"), inChunks(["one", "two"])])
      for (let length = 1; length < answer.length; length++)
        expect(read(answer.slice(0, length), { isClosed: true })).to.equal(
          undefined,
        );
  });

  const wrong: Readonly<Record<string, readonly [string, RegExp]>> = {
    "are not HTTP": ["nonsense\r\n\r\n", /not HTTP/],
    "are of another version": [
      withLength("x").replace("1.1", "2.0"),
      /not HTTP/,
    ],
    "have a header without a name": [withLength("x", ": 1"), /no name/],
    "have two lengths": [withLength("x", "Content-Length: 2"), /how long/],
    "have a negative length": [
      lines("HTTP/1.1 200 OK", "Content-Length: -1", "", ""),
      /how long/,
    ],
    "are compressed": [
      lines("HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked", "", ""),
      /not asked for/,
    ],
    "have a chunk without a length": [
      inChunks(["a"]).replace("1;", "x;"),
      /how long/,
    ],
    "have a chunk that is longer than it says": [
      inChunks(["abc"]).replace("3;", "2;"),
      /does not end/,
    ],
    "are followed by something else": [`${withLength("x")}y`, /more than one/],
    "have a body that is too long": [withLength("x".repeat(MAX + 1)), /longer/],
    "have chunks that are too long together": [
      inChunks(["x".repeat(MAX), "x"]),
      /longer/,
    ],
    "say that a chunk is too long": [
      inChunks(["x"]).replace("1;", "ffffffff;"),
      /longer/,
    ],
    "have no end, and are too long": [
      lines("HTTP/1.1 200 OK", "", "x".repeat(MAX + 1)),
      /longer/,
    ],
    "have a head without an end": [
      `HTTP/1.1 200 ${"x".repeat(20_000)}`,
      /head/,
    ],
    "have a chunk line without an end": [
      lines(
        "HTTP/1.1 200 OK",
        "Transfer-Encoding: chunked",
        "",
        "1".repeat(2_000),
      ),
      /line between/,
    ],
  };
  for (const [name, [answer, problem]] of Object.entries(wrong))
    it(`are refused if they ${name}`, () => {
      expect(() => read(answer)).to.throw(problem);
    });
});
