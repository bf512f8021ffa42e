import type { Rollback } from "./rollback.ts";

/** What a transaction wrote to storages, by address and slot. */
export class Storages {
  readonly written = new Map<string, Map<bigint, bigint>>();
  /** Those that are empty but for that. */
  readonly cleared = new Set<string>();
  readonly #rollback: Rollback;

  constructor(ports: { readonly rollback: Rollback }) {
    this.#rollback = ports.rollback;
  }

  get(address: string, slot: bigint): bigint | undefined {
    return this.written.get(address)?.get(slot);
  }

  put(address: string, slot: bigint, value: bigint): void {
    const slots = this.written.get(address) ?? new Map<bigint, bigint>();
    this.written.set(address, slots);
    const before = slots.get(slot);
    slots.set(slot, value);
    this.#rollback.add(() => {
      if (before === undefined) slots.delete(slot);
      else slots.set(slot, before);
    });
  }

  clear(address: string): void {
    const slots = this.written.get(address);
    const wasCleared = this.cleared.has(address);
    this.written.delete(address);
    this.cleared.add(address);
    this.#rollback.add(() => {
      if (slots === undefined) this.written.delete(address);
      else this.written.set(address, slots);
      if (!wasCleared) this.cleared.delete(address);
    });
  }
}
