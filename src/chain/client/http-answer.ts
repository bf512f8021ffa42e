/** An answer of an HTTP server. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** Whether the server takes another request on the same connection. */
  readonly isKept: boolean;
}

/** What the lines before the body of an answer say. */
interface Head extends Omit<HttpAnswer, "text"> {
  /** How the end of the body is found: after so many bytes, in chunks, or where the connection ends. */
  readonly body: number | "chunks" | "rest";
}

const HEAD_BYTES_MAX = 16_384;
const LINE_BYTES_MAX = 1_024;
const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";

/** Reads one answer of HTTP/1.1, whose bytes come in any pieces. All methods throw if it is not one, or if it is too long. */
export class AnswerReader {
  readonly #bodyBytesMax: number;
  /** Bytes that are not read yet. */
  #rest: Buffer = Buffer.alloc(0);
  #head: Head | undefined;
  readonly #parts: Buffer[] = [];
  #bodyBytes = 0;
  /** Left of the chunk that is being read; undefined between two chunks. */
  #chunkLeft: number | undefined;
  #isInTrailer = false;

  constructor(options: { readonly bodyBytesMax: number }) {
    this.#bodyBytesMax = options.bodyBytesMax;
  }

  /** Takes bytes. Gives the answer when it is complete. */
  push(bytes: Buffer): HttpAnswer | undefined {
    this.#rest =
      this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const head = (this.#head ??= this.#readHead());
    if (head === undefined || !this.#readBody(head)) return undefined;
    if (this.#rest.length > 0)
      throw new Error("The server sent more than one answer.");
    return this.#answerWith(head);
  }

  /** The connection is closed. Gives the answer if this is where it ends. */
  end(): HttpAnswer | undefined {
    return this.#head?.body === "rest"
      ? this.#answerWith(this.#head)
      : undefined;
  }

  #answerWith({ status, retryAfter, isKept }: Head): HttpAnswer {
    const text = Buffer.concat(this.#parts).toString("utf8");
    return { status, retryAfter, isKept, text };
  }

  #readHead(): Head | undefined {
    for (;;) {
      const end = this.#rest.indexOf(HEAD_END);
      if ((end < 0 ? this.#rest.length : end) > HEAD_BYTES_MAX)
        throw new Error(
          `The head of the answer is longer than ${HEAD_BYTES_MAX} bytes.`,
        );
      if (end < 0) return undefined;
      const head = parseHead(this.#rest.toString("latin1", 0, end));
      this.#rest = this.#rest.subarray(end + HEAD_END.length);
      // One that only says that another one follows is passed over.
      if (head.status >= 200) return head;
    }
  }

  /** Whether the body is complete. */
  #readBody({ body }: Head): boolean {
    if (body === "chunks") return this.#readChunks();
    if (body === "rest") {
      this.#keep(this.#rest.length);
      return false;
    }
    this.#checkLength(body);
    this.#keep(body - this.#bodyBytes);
    return this.#bodyBytes === body;
  }

  #readChunks(): boolean {
    while (!this.#isInTrailer) {
      if (this.#chunkLeft === undefined) {
        const line = this.#takeLine();
        if (line === undefined) return false;
        this.#chunkLeft = lengthIn(line);
        this.#checkLength(this.#bodyBytes + this.#chunkLeft);
        this.#isInTrailer = this.#chunkLeft === 0;
        continue;
      }
      if (this.#chunkLeft > 0) this.#chunkLeft -= this.#keep(this.#chunkLeft);
      if (this.#chunkLeft > 0) return false;
      const end = this.#takeLine();
      if (end === undefined) return false;
      if (end !== "") throw new Error("A chunk of the answer does not end.");
      this.#chunkLeft = undefined;
    }
    for (let line = this.#takeLine(); ; line = this.#takeLine())
      if (line === undefined || line === "") return line === "";
  }

  /** Takes so many bytes into the body, or as many as there are. */
  #keep(length: number): number {
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(part.length);
    this.#bodyBytes += part.length;
    this.#checkLength(this.#bodyBytes);
    if (part.length > 0) this.#parts.push(part);
    return part.length;
  }

  #checkLength(length: number): void {
    if (length > this.#bodyBytesMax)
      throw new Error(`The answer is longer than ${this.#bodyBytesMax} bytes.`);
  }

  #takeLine(): string | undefined {
    const end = this.#rest.indexOf(LINE_END);
    if ((end < 0 ? this.#rest.length : end) > LINE_BYTES_MAX)
      throw new Error(
        `A line between chunks of the answer is longer than ${LINE_BYTES_MAX} bytes.`,
      );
    if (end < 0) return undefined;
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + LINE_END.length);
    return line;
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: |$)/;

function parseHead(text: string): Head {
  const [statusLine = "", ...lines] = text.split(LINE_END);
  const [, minor, code] = STATUS_LINE.exec(statusLine) ?? [];
  if (code === undefined) throw new Error("The answer is not HTTP/1.1.");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error("A header of the answer has no name.");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const status = Number(code);
  const body = bodyIn(status, headers);
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  const isKept =
    body !== "rest" &&
    (minor === "1"
      ? !connection.includes("close")
      : connection === "keep-alive");
  return { status, retryAfter: headers.get("retry-after"), isKept, body };
}

function bodyIn(
  status: number,
  headers: ReadonlyMap<string, string>,
): Head["body"] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headers.get("transfer-encoding");
  if (coding !== undefined) {
    if (coding.toLowerCase() === "chunked") return "chunks";
    throw new Error("The answer is encoded in a way that was not asked for.");
  }
  const length = headers.get("content-length");
  if (length === undefined) return "rest";
  if (!/^[0-9]{1,15}$/.test(length))
    throw new Error("The answer does not say how long it is.");
  return Number(length);
}

/** The length of a chunk, in the line before it. */
function lengthIn(line: string): number {
  const [, length] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
  if (length === undefined)
    throw new Error("A chunk of the answer does not say how long it is.");
  return Number.parseInt(length, 16);
}
