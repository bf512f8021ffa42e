import { z } from "zod/v4";

import {
  abi,
  address,
  hex,
  hex32,
  identity,
  json,
  list,
  timestamp,
  uuid,
  word,
} from "./basics.ts";

const amount = z
  .union([
    z.int().nonnegative(),
    z.string().regex(/^(\d{1,78}|0[xX][\da-fA-F]{1,64})$/),
  ])
  .meta({ id: "Amount", description: "A number, digits, or 0x and digits" });
/** Only for public transactions. */
const quantity = amount.nullish();

const input = {
  type: z.enum(["public", "private"]),
  from: identity,
  to: address.nullish(),
  domain: word.nullish(),
  function: z.string().max(1_024).nullish(),
  abi: abi.nullish(),
  abiReference: hex32.nullish(),
  bytecode: hex.nullish(),
  data: z.unknown().optional(),
  gas: quantity,
  value: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
};

/** What users send. Keys that are not known are ignored. */
export const transactionInput = z
  .object({
    ...input,
    idempotencyKey: word.min(1).nullish(),
    dependsOn: list(uuid, { max: 64 }).nullish(),
  })
  .meta({ id: "TransactionInput" });

export const callInput = z
  .object({
    ...input,
    from: identity.nullish(),
    block: z.union([amount, z.literal("latest")]).nullish(),
    dataFormat: z.string().max(256).nullish(),
  })
  .meta({ id: "CallInput" });

const transactionFields = {
  id: uuid,
  created: timestamp,
  submitMode: z.enum(["auto", "external"]),
  idempotencyKey: word.optional(),
  type: z.enum(["public", "private"]),
  domain: word.optional(),
  function: z.string(),
  abiReference: hex32,
  from: identity,
  to: address.optional(),
  data: json,
};

export const transaction = z
  .strictObject(transactionFields)
  .readonly()
  .meta({ id: "Transaction" });

const receiptFields = {
  id: uuid,
  sequence: z.int().positive(),
  domain: word.optional(),
  success: z.literal(true).optional(),
  transactionHash: hex32.optional(),
  blockNumber: z.int().nonnegative().optional(),
  transactionIndex: z.int().nonnegative(),
  logIndex: z.int().nonnegative().optional(),
  source: address.optional(),
  failureMessage: z.string().optional(),
  revertData: hex.optional(),
  contractAddress: address.optional(),
};

export const receipt = z
  .strictObject(receiptFields)
  .readonly()
  .meta({ id: "Receipt" });

const hexAmount = z.string().regex(/^0x[\da-f]+$/);

const publicTransactions = z
  .array(
    z
      .strictObject({
        from: address,
        to: address.optional(),
        data: hex,
        nonce: hexAmount,
        created: timestamp,
        dispatcher: word,
        transactionHash: hex32,
        success: z.boolean().optional(),
        completedAt: timestamp.optional(),
        revertData: hex.optional(),
        gas: hexAmount,
        value: hexAmount,
      })
      .readonly()
      .meta({ id: "PublicTransaction" }),
  )
  .readonly()
  .nullable();

export const fullTransaction = z
  .strictObject({
    ...transactionFields,
    receipt: receipt.nullable(),
    public: publicTransactions,
    dependsOn: z.array(uuid).readonly().optional(),
  })
  .readonly()
  .meta({ id: "TransactionFull" });

const states = z
  .array(
    z
      .strictObject({
        id: hex32,
        created: timestamp,
        domain: word,
        schema: z.string(),
        contractAddress: address,
        data: json,
      })
      .readonly(),
  )
  .readonly()
  .optional();

export const stateReceipt = z
  .strictObject({
    none: z.literal(true).optional(),
    spent: states,
    read: states,
    confirmed: states,
  })
  .readonly()
  .meta({ id: "StateReceipt" });

export const fullReceipt = z
  .strictObject({
    ...receiptFields,
    public: publicTransactions,
    states: stateReceipt.optional(),
    domainReceipt: json.optional(),
    domainReceiptError: z.string().optional(),
  })
  .readonly()
  .meta({ id: "ReceiptFull" });

export const preparedTransaction = z
  .strictObject({
    id: uuid,
    domain: word,
    to: address,
    transaction: json,
    states: stateReceipt,
    metadata: json.optional(),
  })
  .readonly()
  .meta({ id: "PreparedTransaction" });
