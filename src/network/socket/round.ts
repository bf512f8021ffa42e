import type { PeerAddress } from "./address.ts";
import type { EndReason } from "./facts.ts";

/** An attempt that did not lead to a connection. */
export interface Failure {
  readonly address: PeerAddress;
  readonly reason: EndReason;
}

/**
 * Which address of a peer is dialled next. A round tries each address once, without a pause between them. It also keeps the failures
 * that were not reported yet: each reason is reported once per address, until there was a connection.
 */
export class Round {
  readonly #addresses: readonly PeerAddress[];
  #index = 0;
  #left: number;
  readonly #failed = new Map<PeerAddress, EndReason>();
  readonly #told = new Map<PeerAddress, EndReason>();

  constructor(addresses: readonly PeerAddress[]) {
    if (addresses.length === 0) throw new Error("A peer has no address.");
    this.#addresses = addresses;
    this.#left = addresses.length;
  }

  get hasAlternatives(): boolean {
    return this.#addresses.length > 1;
  }

  /** Every address of this round was tried. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** Begins with the address after the last one. */
  begin(): void {
    this.#left = this.#addresses.length;
  }

  /** The next address. */
  take(): PeerAddress {
    const address = this.#addresses[this.#index];
    if (address === undefined) throw new Error("There is no such address.");
    this.#index = (this.#index + 1) % this.#addresses.length;
    this.#left -= 1;
    return address;
  }

  /** The connection to the last address lasts: when it ends, all others are tried at once. */
  lasts(): void {
    this.#left = this.#addresses.length - 1;
  }

  connected(): void {
    this.#failed.clear();
    this.#told.clear();
  }

  /**
   * Failures to report now. That a passive replica or a stopped machine does not answer is no news while another address does;
   * a wrong key always is.
   */
  failed(failure: Failure): readonly Failure[] {
    this.#failed.set(failure.address, failure.reason);
    if (!this.isOver && failure.reason !== "wrong-key") return [];
    const news = [...this.#failed]
      .filter(([address, reason]) => this.#told.get(address) !== reason)
      .map(([address, reason]) => ({ address, reason }));
    this.#failed.clear();
    for (const { address, reason } of news) this.#told.set(address, reason);
    return news;
  }
}
