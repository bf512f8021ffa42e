import type { UserBook } from "../../src/node/ports.ts";

/** For nodes that nobody uses but the test. */
export const noUsers: UserBook = {
  settle: () => undefined,
  unsettle: () => undefined,
  settlePublic: () => undefined,
  unsettlePublic: () => undefined,
};
