import type { Domain } from "../domains/domain.ts";
import { ErrorReports, framesOf } from "../domains/error-reports.ts";
import { guarded, type OnDomainError } from "../domains/guarded.ts";
import { withoutSecrets } from "../chain/client/secrets.ts";
import type { NodePorts } from "./ports.ts";

/** The domains of a node, with errors told as facts: each once. */
export function guardDomains({
  domains,
  onFact,
}: Pick<NodePorts, "domains" | "onFact">): {
  readonly domains: ReadonlyMap<string, Domain>;
  readonly onDomainError: OnDomainError;
} {
  const reports = new ErrorReports();
  const onDomainError: OnDomainError = (domain, method, error) => {
    if (!reports.isNew(domain, method, error)) return;
    const isError = error instanceof Error;
    onFact({
      type: "DomainFailed",
      domain,
      method,
      error: isError ? error.name : typeof error,
      reason: isError ? withoutSecrets(error.message) : "unknown",
      stack: framesOf(error),
    });
  };
  return {
    domains: new Map(
      [...domains].map(([name, domain]) => [
        name,
        guarded(domain, onDomainError),
      ]),
    ),
    onDomainError,
  };
}
