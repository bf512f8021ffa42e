import { type IdentityFact, identityOf } from "./identity.ts";

/** The action of `sequencer:identity`. */
export default function identity({
  json,
  ...options
}: {
  readonly json: boolean;
  readonly name?: string | undefined;
  readonly dataDir?: string | undefined;
}): IdentityFact {
  const fact = identityOf(options);
  console.log(
    json
      ? JSON.stringify({ version: 1, type: "identity", ...fact })
      : `${fact.node}: { address: "host:port", key: "${fact.key}", endorser: "0x…" },`,
  );
  return fact;
}
