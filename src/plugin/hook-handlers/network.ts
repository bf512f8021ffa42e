import type { NetworkHooks } from "hardhat/types/hooks";

import { LazySequencer } from "../connection/sequencer.ts";

/** Gives every connection its `sequencer`, which is made when it is asked for. */
const handlers = async (): Promise<Partial<NetworkHooks>> => {
  const sequencers = new WeakMap<object, LazySequencer>();
  return await Promise.resolve({
    newConnection: async (context, next) => {
      const connection = await next(context);
      Object.defineProperty(connection, "sequencer", {
        enumerable: true,
        get: () => {
          const existing = sequencers.get(connection);
          if (existing !== undefined) return existing;
          const created = new LazySequencer(context.config.sequencer, {
            connection,
          });
          sequencers.set(connection, created);
          return created;
        },
      });
      return connection;
    },
    closeConnection: async (context, connection, next) => {
      await sequencers.get(connection)?.stop();
      await next(context, connection);
    },
  });
};

export default handlers;
