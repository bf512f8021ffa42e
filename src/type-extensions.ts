import "hardhat/types/config";
import "hardhat/types/network";

import type { SequencerConfig, SequencerUserConfig } from "./plugin/config.ts";
import type { ConnectionSequencer } from "./plugin/connection/types.ts";

declare module "hardhat/types/config" {
  interface HardhatUserConfig {
    sequencer?: SequencerUserConfig;
  }

  interface HardhatConfig {
    sequencer: SequencerConfig;
  }
}

declare module "hardhat/types/network" {
  interface NetworkConnection<
    // oxlint-disable-next-line no-unused-vars, typescript/no-redundant-type-constituents -- it must be what Hardhat says
    ChainTypeT extends ChainType | string = DefaultChainType,
  > {
    /** Real nodes on the chain of this connection, for tests. */
    readonly sequencer: ConnectionSequencer;
  }
}
