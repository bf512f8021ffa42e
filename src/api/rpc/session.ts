/** One user's WebSocket, as methods see it. Ends when the socket does. */
export interface Session {
  /** Sends a notification, and calls back when it has left. Does neither on a socket that is closed. */
  readonly notify: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    onSent: () => void,
  ) => void;
  /** Runs when the answer to the request was handed to the socket. */
  readonly afterAnswer: (work: () => void) => void;
  /** What to end with the socket, by the id that the user knows it by. */
  readonly subscriptions: Map<string, SessionSubscription>;
  readonly subscriptionsMax: number;
}

/** Something that a socket gets as long as it is open. */
export interface SessionSubscription {
  readonly ack: () => void;
  readonly nack: () => void;
  readonly end: () => void;
}
