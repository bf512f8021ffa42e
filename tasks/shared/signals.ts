/** Calls back for every Ctrl-C, and for every polite request to end. */
export function onInterrupt(listener: () => void): () => void {
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}
