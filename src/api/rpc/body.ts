import type { IncomingMessage } from "node:http";

/** The body of a request. */
export type Body =
  | { readonly type: "read"; readonly bytes: Buffer }
  | { readonly type: "too large" }
  /** The client went away. */
  | { readonly type: "lost" };

/** Reads a body of at most so many bytes. Never rejects, and keeps no more than it may read. */
export async function readBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax)
    return { type: "too large" };
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (body: Body): void => {
      request.removeAllListeners("data");
      resolve(body);
    };
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) finish({ type: "too large" });
      else chunks.push(chunk);
    });
    request.on("end", () => {
      finish({ type: "read", bytes: Buffer.concat(chunks) });
    });
    request.on("error", () => {
      finish({ type: "lost" });
    });
    request.on("close", () => {
      finish({ type: "lost" });
    });
  });
}
