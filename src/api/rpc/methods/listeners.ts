import { randomUUID } from "node:crypto";

import { z } from "zod/v4";

import type { ListenerSpec } from "../../../store/receipt-listeners.ts";
import type { Receiver } from "../../delivery.ts";
import { notSupported } from "../../errors.ts";
import { codes, RpcError } from "../errors.ts";
import { type Context, method, type Method } from "../method.ts";
import { timestamp, uuid, word } from "../schemas/basics.ts";
import { query } from "../schemas/query.ts";

const specFields = {
  name: word,
  filters: z
    .strictObject({
      sequenceAbove: z.int().nonnegative().optional(),
      type: z.enum(["public", "private"]).optional(),
      domain: word.optional(),
    })
    .readonly(),
  options: z
    .strictObject({
      domainReceipts: z.boolean().optional(),
      incompleteStateReceiptBehavior: z
        .enum(["block_contract", "process", "complete_only"])
        .optional(),
    })
    .readonly(),
};

const spec = z
  .object({
    name: specFields.name,
    started: z.boolean().nullish(),
    filters: specFields.filters.nullish(),
    options: specFields.options.nullish(),
  })
  .meta({ id: "ReceiptListenerInput" });

const listener = z
  .strictObject({
    ...specFields,
    options: z.strictObject({
      domainReceipts: z.boolean().optional(),
      incompleteStateReceiptBehavior: z.string().optional(),
    }),
    created: timestamp,
    started: z.boolean(),
  })
  .readonly()
  .meta({ id: "ReceiptListener" });

export const listenerMethods: readonly Method[] = [
  method({
    name: "ptx_createReceiptListener",
    summary: "Makes a listener that outlives sockets and restarts",
    params: { listener: spec },
    result: z.boolean(),
    run: ({ listener: input }, { api }) => {
      const options = input.options ?? {};
      if (options.incompleteStateReceiptBehavior === "complete_only")
        throw notSupported("complete_only");
      api.listeners.create({
        name: input.name,
        isStarted: input.started ?? true,
        filters: input.filters ?? {},
        options,
      });
      return true;
    },
  }),
  method({
    name: "ptx_getReceiptListener",
    summary: "A listener",
    params: { name: word },
    result: listener.nullable(),
    run: ({ name }, { api }) => {
      const found = api.listeners.get(name);
      return found === undefined ? null : view(found);
    },
  }),
  method({
    name: "ptx_queryReceiptListeners",
    summary: "Listeners, newest first",
    params: { query },
    result: z.array(listener).readonly(),
    run: async (params, { api }) =>
      (await api.listeners.find(params.query)).map(view),
  }),
  lifecycle(
    "ptx_startReceiptListener",
    "Starts a listener",
    (name, { api }) => {
      api.listeners.setStarted(name, true);
    },
  ),
  lifecycle("ptx_stopReceiptListener", "Stops a listener", (name, { api }) => {
    api.listeners.setStarted(name, false);
  }),
  lifecycle(
    "ptx_deleteReceiptListener",
    "Deletes a listener with its checkpoint",
    (name, { api }) => {
      api.listeners.remove(name);
    },
  ),
  method({
    name: "ptx_subscribe",
    summary: "Receives what a listener has to say, as ptx_subscription",
    params: { type: z.enum(["receipts", "blockchainevents"]), listener: word },
    result: uuid,
    isSocketOnly: true,
    run: ({ type, listener: name }, context) => {
      if (type !== "receipts") throw notSupported(`Listening to ${type}`);
      return subscribe(name, context);
    },
  }),
  method({
    name: "ptx_unsubscribe",
    summary: "Ends a subscription; false if there is none",
    params: { subscription: uuid },
    result: z.boolean(),
    isSocketOnly: true,
    run: ({ subscription }, { session }) => {
      const found = session?.subscriptions.get(subscription);
      session?.subscriptions.delete(subscription);
      found?.end();
      return found !== undefined;
    },
  }),
  method({
    name: "ptx_ack",
    summary: "Acknowledges the batch in flight; there is no answer",
    params: { subscription: uuid },
    result: z.null(),
    isSocketOnly: true,
    isSilent: true,
    run: ({ subscription }, { session }) => {
      session?.subscriptions.get(subscription)?.ack();
      return null;
    },
  }),
  method({
    name: "ptx_nack",
    summary: "Asks for the batch in flight again; there is no answer",
    params: { subscription: uuid },
    result: z.null(),
    isSocketOnly: true,
    isSilent: true,
    run: ({ subscription }, { session }) => {
      session?.subscriptions.get(subscription)?.nack();
      return null;
    },
  }),
];

function lifecycle(
  name: string,
  summary: string,
  run: (listener: string, context: Context) => void,
): Method {
  return method({
    name,
    summary,
    params: { name: word },
    result: z.boolean(),
    run: (params, context) => {
      run(params.name, context);
      return true;
    },
  });
}

function subscribe(name: string, { api, session }: Context): string {
  if (session === undefined) throw new Error("There is no socket.");
  if (api.listeners.get(name) === undefined)
    throw new RpcError(
      codes.invalid,
      `PD012238: Receipt listener '${name}' does not exist`,
    );
  if (session.subscriptions.size >= session.subscriptionsMax)
    throw new RpcError(
      codes.internal,
      `PD099004: A socket has at most ${session.subscriptionsMax} subscriptions`,
    );
  const id = randomUUID();
  const receiver: Receiver = ({ batchId, receipts }, onSent) => {
    const result = { ...(batchId > 0 && { batchId }), receipts };
    session.notify("ptx_subscription", { subscription: id, result }, onSent);
  };
  session.subscriptions.set(id, {
    ack: () => {
      api.listeners.ack(name, receiver);
    },
    nack: () => {
      api.listeners.nack(name, receiver);
    },
    end: () => {
      api.listeners.detach(name, receiver);
    },
  });
  session.afterAnswer(() => {
    // The socket may have gone while it was answered.
    if (session.subscriptions.has(id)) api.listeners.attach(name, receiver);
  });
  return id;
}

function view({ isStarted, ...rest }: ListenerSpec): {
  readonly started: boolean;
} & Omit<ListenerSpec, "isStarted"> {
  return { ...rest, started: isStarted };
}
