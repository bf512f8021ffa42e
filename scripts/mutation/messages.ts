/** What the pool and its workers say to each other. */

/** Which settings to compile with: `quick` as the compiler is fastest, `exact` as we publish. */
export type Profile = "quick" | "exact";

/** How hard the tests try: `examples` alone, `fuzz` tests with few runs as well, or `all` that the project asks for. */
export type Effort = "examples" | "fuzz" | "all";

/** Compile the workspace with one file changed, and run its Solidity tests. */
export interface Job {
  /** Relative to the workspace; nothing is changed without it. */
  readonly file?: string;
  readonly content?: string;
  readonly profile: Profile;
  /** Files to compile with what they import; everything without it. */
  readonly build?: readonly string[];
  /** Files whose tests to run; all without it. */
  readonly tests?: readonly string[];
  readonly effort: Effort;
}

/** What became of it. */
export type Verdict =
  | { readonly type: "Passed" }
  | { readonly type: "Failed"; readonly test: string }
  | { readonly type: "NotCompiled"; readonly reason: string };
