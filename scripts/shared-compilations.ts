/**
 * A Hardhat plugin that compiles together what is compiled with the same settings. Hardhat itself compiles each file that
 * has an override on its own, and everything that it imports with it, again and again.
 */
import type { ConfigHooks } from "hardhat/types/hooks";
import type { HardhatPlugin } from "hardhat/types/plugins";

/** Gives equal values as one and the same object. */
function unify<T extends object>(values: Record<string, T>): Record<string, T> {
  const known = new Map<string, T>();
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const key = JSON.stringify(value);
      const shared = known.get(key) ?? value;
      known.set(key, shared);
      return [name, shared];
    }),
  );
}

const createHandlers = async (): Promise<Partial<ConfigHooks>> =>
  await Promise.resolve({
    resolveUserConfig: async (user, resolveVariable, next) => {
      const config = await next(user, resolveVariable);
      for (const profile of Object.values(config.solidity.profiles))
        profile.overrides = unify(profile.overrides);
      return config;
    },
  });

export const sharedCompilations: HardhatPlugin = {
  id: "shared-compilations",
  hookHandlers: {
    config: async () => await Promise.resolve({ default: createHandlers }),
  },
};
