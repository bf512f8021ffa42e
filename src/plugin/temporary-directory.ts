import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a place for nodes' disks. It is gone with the process, whatever happens. */
export function temporaryDirectory(): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "hardhat-sequencer-"));
  const clean = (): void => {
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", clean);
  return {
    path,
    remove: () => {
      process.off("exit", clean);
      clean();
    },
  };
}
