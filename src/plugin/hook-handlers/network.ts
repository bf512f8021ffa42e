import type { NetworkHooks } from "hardhat/types/hooks";

import { LazySequencer } from "../connection/sequencer.ts";

/** Gives every connection its `sequencer`, which starts nothing by itself. */
const handlers = async (): Promise<Partial<NetworkHooks>> => {
  const sequencers = new WeakMap<object, LazySequencer>();
  return await Promise.resolve({
    newConnection: async (context, next) => {
      const connection = await next(context);
      const sequencer = new LazySequencer(context.config.sequencer, {
        connection,
      });
      sequencers.set(connection, sequencer);
      Object.defineProperty(connection, "sequencer", {
        enumerable: true,
        value: sequencer,
      });
      return connection;
    },
    closeConnection: async (context, connection, next) => {
      await sequencers.get(connection)?.stop();
      await next(context, connection);
    },
    onRequest: async (context, connection, request, next) => {
      const pass = async () => await next(context, connection, request);
      const sequencer = sequencers.get(connection);
      return sequencer === undefined
        ? await pass()
        : await sequencer.onRequest(request, pass);
    },
  });
};

export default handlers;
