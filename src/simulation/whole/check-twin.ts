import { decodeBody } from "../../node/body.ts";
import { violation } from "../violation.ts";
import { openLetter } from "./adversary/envelopes.ts";
import type { SimulatedHost } from "./host.ts";

/** S49: an old instance sends no endorsement that its successor does not have on its disk. */
export function checkTwin(
  { name, book }: SimulatedHost,
  wire: Uint8Array,
): void {
  if (book === undefined) return;
  for (const text of openLetter(wire)?.texts ?? []) {
    const decoded = decodeBody(text);
    if (decoded.type !== "body" || decoded.body.type !== "message") continue;
    const { message } = decoded.body;
    if (message.type !== "Endorsement") continue;
    const { digest } = message;
    const kept = book.database.get(
      "SELECT 1 FROM endorsed_bundles WHERE digest = ?",
      digest,
    );
    if (kept === undefined)
      throw violation(
        "S49",
        digest,
        `is endorsed by an old instance of ${name}`,
      );
  }
}
