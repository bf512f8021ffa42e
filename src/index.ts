import { definePlugin } from "hardhat/plugins";

import { tasks } from "../tasks/definitions.ts";

export type * from "./plugin/connection/types.ts";
export type * from "./type-extensions.ts";

/** The plugin: add it to `plugins` in `hardhat.config.ts`. */
const hardhatSequencer = definePlugin({
  id: "hardhat-sequencer",
  npmPackage: "hardhat-sequencer",
  hookHandlers: {
    config: () => import("./plugin/hook-handlers/config.ts"),
    network: () => import("./plugin/hook-handlers/network.ts"),
  },
  tasks,
});

export default hardhatSequencer;
