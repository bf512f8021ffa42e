import type { Evidence, ProcessExit } from "../evidence/evidence.ts";
import type { Check, Violation } from "./violation.ts";

/** Processes end only when they must, and say so in the right way. */
export const checkProcesses: Check = (evidence) =>
  evidence.exits.flatMap((exit): readonly Violation[] => {
    const how = exit.signal ?? `code ${exit.code ?? "?"}`;
    switch (exit.cause) {
      case "kill":
        return [];
      case "fail-point":
        return exit.signal === "SIGKILL"
          ? []
          : [
              {
                property: "S23",
                what: `${exit.node} should have died at a point, and ended with ${how}`,
              },
            ];
      case "stop":
        return exit.code === 0
          ? []
          : [
              {
                property: "stop",
                what: `${exit.node} was asked to stop, and ended with ${how}`,
              },
            ];
      case "full-disk":
        return exit.code !== 0 && exit.signal === null
          ? []
          : [
              {
                property: "S37",
                what: `${exit.node} could not write, and ended with ${how}`,
              },
            ];
      case undefined:
        return isExcused(exit, evidence)
          ? []
          : [
              {
                property: "S23",
                what: `${exit.node} ended by itself with ${how}`,
              },
            ];
    }
  });

/** A node may refuse to start if there is no chain meanwhile; whoever runs it starts it again. */
export function isExcused(
  { hasAnswered, launchedMs, atMs }: ProcessExit,
  { faults }: Pick<Evidence, "faults">,
): boolean {
  return (
    !hasAnswered &&
    faults.some(
      ({ target, startMs, endMs }) =>
        target === "chain" && startMs <= atMs && launchedMs <= endMs,
    )
  );
}
