import type { Measured } from "./usage.ts";

/** What the process of a tree is asked, and what it answers. */
export interface TreeRequests {
  /** Starts a chain and four nodes on it. */
  open: {
    readonly asks: { readonly bundleMax: number };
    readonly answers: undefined;
  };
  /** So many intents, as fast as nodes take them. */
  spend: { readonly asks: number; readonly answers: Measured };
  /** Nothing, for so many milliseconds. */
  rest: { readonly asks: number; readonly answers: Measured };
  close: { readonly asks: undefined; readonly answers: undefined };
}

export type TreeRequestName = keyof TreeRequests;

/** As it goes to the process. */
export interface TreeRequest {
  readonly name: TreeRequestName;
  readonly asks: unknown;
}

/** As it comes back. */
export type TreeAnswer =
  { readonly answers: unknown } | { readonly error: string };
