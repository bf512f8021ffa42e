import { PrivacyGroupFactory__factory } from "../../typechain/index.ts";
import { SequencerError } from "../errors.ts";
import { deploymentProxy } from "./addresses.ts";
import type { LedgerContract } from "./addresses.ts";
import type { Call } from "./chain.ts";
import type { StepName } from "./costs.ts";
import { noCode } from "./survey.ts";
import type { FoundGroup, Survey } from "./survey.ts";

/** What a ledger is made of on a chain. */
export type ItemName = Exclude<StepName, "funding">;

/** One transaction. */
export interface Step {
  readonly name: StepName;
  /** Where something will be afterwards. */
  readonly address: string;
  /** Whether the code that is there afterwards is what it must be. */
  readonly isDone: (code: string) => boolean;
  readonly transaction: { readonly call: Call } | { readonly signed: string };
}

/** One part of the ledger: there, or to be deployed. */
export interface Item {
  readonly name: ItemName;
  readonly address: string;
  readonly status: "present" | "configured" | "skipped" | "missing";
  /** Transactions that bring it there; none if it is there. */
  readonly steps: readonly Step[];
}

const factoryInterface = PrivacyGroupFactory__factory.createInterface();

/** What is there and what is to do, in the order of doing it. */
export function plan(found: Survey): Item[] {
  const { factory, contracts, group } = found;
  const hasProxy = found.proxyCode !== noCode;
  const own = factory.isConfigured
    ? [
        configured(factory.address),
        // A chain with a factory of its own may be one where the proxy cannot be.
        hasProxy
          ? deployed("atomFactory", contracts.atomFactory, found)
          : skipped("atomFactory", contracts.atomFactory.address),
      ]
    : [
        proxy(found),
        deployed("factory", contracts.factory, found),
        deployed("atomFactory", contracts.atomFactory, found),
      ];
  return group === undefined ? own : [...own, groupItem(group, found)];
}

/** All transactions of a plan. */
export function stepsOf(items: readonly Item[]): Step[] {
  return items.flatMap(({ steps }) => steps);
}

function configured(address: string): Item {
  return { name: "factory", address, status: "configured", steps: [] };
}

function skipped(name: ItemName, address: string): Item {
  return { name, address, status: "skipped", steps: [] };
}

function proxy(found: Survey): Item {
  const { address, code, signer, funding, transaction } = deploymentProxy;
  const name = "proxy";
  const { network, proxySignerBalance: balance } = found;
  if (isPresent({ name, address, network, code: found.proxyCode }, code))
    return { name, address, status: "present", steps: [] };
  if (found.proxySignerNonce > 0)
    throw new SequencerError("PROXY_REFUSED", {
      network,
      reason: "its one transaction was used up without result",
    });
  const fund: Step = {
    name: "funding",
    address: signer,
    isDone: () => true,
    transaction: {
      call: { to: signer, data: "0x", value: funding - balance },
    },
  };
  const deploy: Step = {
    name,
    address,
    isDone: (after) => after === code,
    transaction: { signed: transaction },
  };
  const steps = balance < funding ? [fund, deploy] : [deploy];
  return { name, address, status: "missing", steps };
}

function deployed(
  name: "factory" | "atomFactory",
  { address, code, deployData }: LedgerContract,
  found: Survey,
): Item {
  const { network } = found;
  const foundCode =
    name === "factory" ? found.factory.code : found.atomFactoryCode;
  if (isPresent({ name, address, network, code: foundCode }, code))
    return { name, address, status: "present", steps: [] };
  const call = { to: deploymentProxy.address, data: deployData, value: 0n };
  return {
    name,
    address,
    status: "missing",
    steps: [
      {
        name,
        address,
        isDone: (after) => after === code,
        transaction: { call },
      },
    ],
  };
}

function groupItem(group: FoundGroup, { factory, network }: Survey): Item {
  const { request, address, code, expectedCode = code } = group;
  const name = "group";
  if (isPresent({ name, address, network, code }, expectedCode))
    return { name, address, status: "present", steps: [] };
  const { config, salt } = request;
  const data = factoryInterface.encodeFunctionData("createGroup", [
    { ...config, members: [...config.members] },
    salt,
  ]);
  const step: Step = {
    name,
    address,
    isDone: (after) =>
      after === (group.expectedCode ?? after) && after !== noCode,
    transaction: { call: { to: factory.address, data, value: 0n } },
  };
  return { name, address, status: "missing", steps: [step] };
}

/** Whether something is there. Something else in its place is an error. */
function isPresent(
  found: { name: string; address: string; network: string; code: string },
  expectedCode: string,
): boolean {
  const { name, address, network, code } = found;
  if (code === noCode) return false;
  if (code !== expectedCode)
    throw new SequencerError("CODE_MISMATCH", { name, address, network });
  return true;
}
