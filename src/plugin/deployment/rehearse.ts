import { fileURLToPath } from "node:url";

import { packageRoot } from "../../package-files.ts";
import type { GroupRequest } from "./addresses.ts";
import { Chain } from "./chain.ts";
import type { GasOfSteps } from "./costs.ts";
import { execute } from "./execute.ts";
import { plan, stepsOf } from "./plan.ts";
import { chooseSender } from "./sender.ts";
import { survey } from "./survey.ts";

/**
 * The gas of every step, found by doing them all on a fresh chain in this process. A node cannot tell: it can estimate
 * only the next transaction, not one that needs those before it.
 *
 * The chain has a configuration of its own, so that nothing in the user's, such as a fork, changes the figures.
 */
export async function rehearse(
  group: GroupRequest | undefined,
): Promise<GasOfSteps> {
  const { createHardhatRuntimeEnvironment } = await import("hardhat/hre");
  const hre = await createHardhatRuntimeEnvironment(
    {},
    {},
    fileURLToPath(packageRoot),
  );
  const connection = await hre.network.create();
  try {
    return await gasOfSteps(connection, group);
  } finally {
    await connection.close();
  }
}

async function gasOfSteps(
  connection: ConstructorParameters<typeof Chain>[0],
  group: GroupRequest | undefined,
): Promise<GasOfSteps> {
  const chain = new Chain(connection);
  const network = "rehearsal";
  const sender = await chooseSender(chain, { network, from: undefined });
  const found = await survey(chain, {
    network,
    sender,
    configuredFactory: undefined,
    group,
  });
  const gas: Record<string, bigint> = {};
  for (const step of stepsOf(plan(found))) {
    const executed = await execute(chain, step, {
      network,
      sender,
      timeoutMs: 30_000,
      confirmations: 1,
    });
    gas[step.name] = executed.gasUsed;
  }
  return gas;
}
