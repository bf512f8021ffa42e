import { SequencerError } from "../../src/plugin/errors.ts";
import { storeKindOf } from "../../src/store/log/kind.ts";

/**
 * Refuses to open a store without the database in which its log is: another process may be the same node. Throws a `StoreError` if another
 * process has the file.
 */
export function refuseLogged({
  node,
  file,
}: {
  readonly node: string;
  readonly file: string;
}): void {
  if (storeKindOf(file) === "logged")
    throw new SequencerError("DATABASE_REQUIRED", { node, file });
}
