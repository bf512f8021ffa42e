/**
 * Lets others use the thread if it is time; undefined if it is not. Called between operations. What it does must not change what a
 * transaction comes to.
 */
export type Pace = () => Promise<void> | undefined;
