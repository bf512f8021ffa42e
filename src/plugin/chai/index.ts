import { definePlugin } from "hardhat/plugins";

export type * from "./type-extensions.ts";

/** chai's matchers for intents and private contracts: add it to `plugins` in `hardhat.config.ts`. */
const hardhatSequencerChai = definePlugin({
  id: "hardhat-sequencer-chai",
  npmPackage: "hardhat-sequencer",
  dependencies: () => [import("../../index.ts")],
  hookHandlers: { network: () => import("./network-hooks.ts") },
});

export default hardhatSequencerChai;
