import type { Domain } from "../../../src/domains/domain.ts";
import type { DomainName } from "../../../src/simulation/domains/names.ts";
import type { Trial } from "../../../src/simulation/domains/trial.ts";
import { groupTokenTrial } from "../../../src/simulation/domains/trials/group-token.ts";
import { notarisedTokenTrial } from "../../../src/simulation/domains/trials/notarised-token/notarised-token.ts";
import { ownedCoinsTrial } from "../../../src/simulation/domains/trials/owned-coins.ts";
import { privateContractsTrial } from "../../../src/simulation/domains/trials/private-contracts/private-contracts.ts";

/** A domain made wrong in one place, and the property that shall notice it. */
export interface Sabotage {
  readonly domain: DomainName;
  /** What the domain does, as a sentence that begins with its name. */
  readonly name: string;
  /** Where it was noticed last; it is looked for there first. */
  readonly seed: number;
  readonly trial: Trial;
  readonly property: string;
}

/** Every sabotage. */
export const sabotages: readonly Sabotage[] = [
  {
    domain: "group-token",
    name: "group-token forgets the sum",
    seed: 1,
    trial: deafTo("the balance of", groupTokenTrial),
    property: "conserved",
  },
  {
    domain: "group-token",
    name: "group-token gives no change, and nobody asks for it",
    seed: 1,
    trial: sabotaged(deafTo("the balance of", groupTokenTrial), {
      assemble: async (intent, view) => {
        const assembly = await groupTokenTrial.domain.assemble(intent, view);
        return assembly.type === "assembled"
          ? { ...assembly, outputs: assembly.outputs.slice(0, 1) }
          : assembly;
      },
    }),
    property: "conserved",
  },
  {
    domain: "owned-coins",
    name: "owned-coins forgets who speaks",
    seed: 27,
    trial: deafTo("does not speak for", ownedCoinsTrial),
    property: "conserved",
  },
  {
    domain: "owned-coins",
    name: "owned-coins spends coins of whoever is on the same node",
    seed: 6,
    trial: sabotaged(deafTo("does not own", ownedCoinsTrial), {
      assemble: (intent, view) =>
        ownedCoinsTrial.domain.assemble(intent, {
          ...view,
          get: (id) => view.get(id),
          find: (schema, label) =>
            view.find(schema, label.replace(/^y@/, "x@")),
        }),
    }),
    property: "conserved",
  },
  {
    domain: "owned-coins",
    name: "owned-coins shows everything to everybody",
    seed: 17,
    trial: sabotaged(ownedCoinsTrial, { isEntitled: () => true }),
    property: "S42",
  },
  {
    domain: "notarised-token",
    name: "notarised-token forgets who asks",
    seed: 22,
    trial: deafTo("is no identity of", notarisedTokenTrial),
    property: "conserved",
  },
  {
    domain: "notarised-token",
    name: "notarised-token forgets what an intent creates",
    seed: 24,
    trial: deafTo("it creates something else", notarisedTokenTrial),
    property: "conserved",
  },
  {
    domain: "notarised-token",
    name: "notarised-token shows everything to everybody",
    seed: 17,
    trial: sabotaged(notarisedTokenTrial, { isEntitled: () => true }),
    property: "S42",
  },
  {
    domain: "private-contracts",
    name: "private-contracts forgets to compare what is written",
    seed: 22,
    trial: deafTo("what it creates", privateContractsTrial),
    property: "conserved",
  },
  {
    domain: "private-contracts",
    name: "private-contracts forgets to compare what is spent",
    seed: 18,
    trial: deafTo("what it spends", privateContractsTrial),
    property: "conserved",
  },
];

function sabotaged(trial: Trial, change: Partial<Domain>): Trial {
  return { ...trial, domain: { ...trial.domain, ...change } };
}

/** A trial whose endorsers do not care about one fault. */
function deafTo(fault: string, trial: Trial): Trial {
  return sabotaged(trial, {
    endorse: async (step) => {
      const found = await trial.domain.endorse(step);
      return found?.includes(fault) === true ? undefined : found;
    },
  });
}
