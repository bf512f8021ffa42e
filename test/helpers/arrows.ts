import { coordinatorTable } from "../../src/protocol/coordinator/table.ts";
import { coordinatorTransactionTable } from "../../src/protocol/coordinator/transaction/table.ts";
import type { Tracer } from "../../src/protocol/machine.ts";
import { senderTable } from "../../src/protocol/sender/table.ts";
import { senderTransactionTable } from "../../src/protocol/sender/transaction/table.ts";

interface NamedRule {
  readonly to: string;
  readonly when?: { readonly name: string };
  readonly why?: string;
}

type NamedTable = Readonly<
  Record<string, Readonly<Record<string, readonly NamedRule[] | undefined>>>
>;

/** The four machines of a node. */
export const tables = {
  sender: senderTable,
  senderTransaction: senderTransactionTable,
  coordinator: coordinatorTable,
  coordinatorTransaction: coordinatorTransactionTable,
} as const satisfies Readonly<Record<string, NamedTable>>;

/** Keeps which arrows of the tables were taken: a state, an event, and the branch that its guard opened. */
export class ArrowLog {
  // No rule stands in two tables, but the same one may stand under several states and events.
  readonly #taken = new Map<object, Set<string>>();

  readonly trace: Tracer<{ readonly state: string }> = (
    _model,
    from,
    event,
    rule,
  ) => {
    if (rule === undefined) return;
    const pair = `${from} ${event.type}`;
    const pairs = this.#taken.get(rule);
    if (pairs === undefined) this.#taken.set(rule, new Set([pair]));
    else pairs.add(pair);
  };

  /** The arrows of a table that were never taken, as a reader finds them in it. */
  missing(table: NamedTable): string[] {
    return Object.entries(table).flatMap(([from, events]) =>
      Object.entries(events).flatMap(([event, rules = []]) =>
        rules
          .filter(({ why }) => why === undefined)
          .filter((rule) => !this.#taken.get(rule)?.has(`${from} ${event}`))
          .map(({ to, when }) => {
            const guard = when === undefined ? "" : ` [${when.name}]`;
            return `${from} --> ${to} : ${event}${guard}`;
          }),
      ),
    );
  }
}
