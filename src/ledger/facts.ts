import { decodeLog, type LedgerEvent, type LedgerLog } from "./events.ts";
import { type Address, type IntentId, parseAddress } from "./ids.ts";
import { LedgerInputError } from "./input-error.ts";

/** An event together with the contract that said it and its log, which knows block and position. */
export type LedgerFact<Log extends LedgerLog = LedgerLog> = (
  | Exclude<LedgerEvent, { readonly type: "IntentFulfilled" | "Transitioned" }>
  | (Extract<LedgerEvent, { readonly type: "Transitioned" }> & {
      readonly intents: readonly IntentId[];
    })
  /** A log with the name of one of our events which none of our contracts can have written. */
  | { readonly type: "Malformed"; readonly error: LedgerInputError }
) & { readonly address: Address; readonly log: Log };

/** Intents whose transition has not come yet. */
interface Open<Log extends LedgerLog> {
  readonly transactionHash: string;
  readonly intents: IntentId[];
  readonly log: Log;
}

/**
 * Decodes logs, in the order of the chain, into facts. Each `Transitioned` carries its intents, which the ledger
 * logs before it in the same transaction. Logs of other events are left out. A contract of somebody else can
 * write logs that look like ours, so this never throws, and callers look at `address`.
 */
export function decodeLogs<Log extends LedgerLog>(
  logs: readonly Log[],
): readonly LedgerFact<Log>[] {
  const facts: LedgerFact<Log>[] = [];
  const openByAddress = new Map<Address, Open<Log>>();

  const abandon = (address: Address): void => {
    const open = openByAddress.get(address);
    if (open === undefined) return;
    openByAddress.delete(address);
    facts.push(
      malformed(
        address,
        open.log,
        "Intents were fulfilled, but no Transitioned followed in their transaction.",
      ),
    );
  };

  for (const log of logs) {
    const [address, event] = decodeOrError(log);
    if (event === undefined) continue;
    if (openByAddress.get(address)?.transactionHash !== log.transactionHash)
      abandon(address);
    if (event instanceof LedgerInputError) {
      facts.push({ type: "Malformed", error: event, address, log });
    } else if (event.type === "IntentFulfilled") {
      const open = openByAddress.get(address);
      if (open === undefined) {
        openByAddress.set(address, {
          transactionHash: log.transactionHash,
          intents: [event.intentId],
          log,
        });
      } else {
        open.intents.push(event.intentId);
      }
    } else if (event.type === "Transitioned") {
      const open = openByAddress.get(address);
      openByAddress.delete(address);
      facts.push(
        open === undefined
          ? malformed(
              address,
              log,
              "Transitioned came without the intents that it fulfils.",
            )
          : { ...event, intents: open.intents, address, log },
      );
    } else {
      facts.push({ ...event, address, log });
    }
  }
  for (const address of [...openByAddress.keys()]) abandon(address);
  return facts;
}

const NOBODY = parseAddress(`0x${"00".repeat(20)}`);

function decodeOrError(
  log: LedgerLog,
): readonly [Address, LedgerEvent | LedgerInputError | undefined] {
  let address = NOBODY;
  try {
    const event = decodeLog(log);
    if (event !== undefined)
      address = parseAddress(log.address.toLowerCase(), "log.address");
    return [address, event];
  } catch (error) {
    if (error instanceof LedgerInputError) return [address, error];
    throw error;
  }
}

function malformed<Log extends LedgerLog>(
  address: Address,
  log: Log,
  message: string,
): LedgerFact<Log> {
  return {
    type: "Malformed",
    error: new LedgerInputError("MALFORMED_DATA", message),
    address,
    log,
  };
}
