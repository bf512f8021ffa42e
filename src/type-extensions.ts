import "hardhat/types/config";

import type { SequencerConfig, SequencerUserConfig } from "./plugin/config.ts";

declare module "hardhat/types/config" {
  interface HardhatUserConfig {
    sequencer?: SequencerUserConfig;
  }

  interface HardhatConfig {
    sequencer: SequencerConfig;
  }
}
