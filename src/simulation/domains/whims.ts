import type { Domain } from "../../domains/domain.ts";
import type { AssemblyRequest } from "./domain.ts";

/** A domain whose users are not always ready, and which does not always work. */
export function withWhims(
  domain: Domain,
  { parked, failing }: Pick<AssemblyRequest, "parked" | "failing">,
): Domain {
  return {
    ...domain,
    assemble: (intent, view) => {
      if (parked.has(intent.id))
        return { type: "parked", reason: "not ready yet" };
      if (failing.has(intent.id)) throw new Error("cannot assemble now");
      return domain.assemble(intent, view);
    },
  };
}
