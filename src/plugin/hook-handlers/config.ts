import { validateUserConfigZodType } from "@nomicfoundation/hardhat-zod-utils";
import type { ConfigHooks } from "hardhat/types/hooks";

import {
  findConfigConflicts,
  resolveSequencerConfig,
  userConfigType,
} from "../config.ts";

const handlers = async (): Promise<Partial<ConfigHooks>> =>
  await Promise.resolve({
    validateUserConfig: async (userConfig) =>
      await Promise.resolve([
        ...validateUserConfigZodType(userConfig, userConfigType),
        ...findConfigConflicts(userConfig),
      ]),
    resolveUserConfig: async (
      userConfig,
      resolveConfigurationVariable,
      next,
    ) => ({
      ...(await next(userConfig, resolveConfigurationVariable)),
      sequencer: resolveSequencerConfig(
        userConfig.sequencer,
        resolveConfigurationVariable,
      ),
    }),
  });

export default handlers;
