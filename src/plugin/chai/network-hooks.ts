import { Assertion, AssertionError, util } from "chai";
import type { NetworkHooks } from "hardhat/types/hooks";

import { addMatchers } from "./matchers.ts";

/**
 * Adds the matchers with every new connection, after all other plugins: `@nomicfoundation/hardhat-ethers-chai-matchers` replaces
 * matchers of the same names with its first connection, so ours have to come later, whatever the order of the plugins.
 */
const handlers = async (): Promise<Partial<NetworkHooks>> =>
  await Promise.resolve({
    newConnection: async (context, next) => {
      const connection = await next(context);
      addMatchers({ Assertion, AssertionError, util });
      return connection;
    },
  });

export default handlers;
