import { expect } from "chai";

import { parseHex } from "../../../src/ledger/index.ts";
import type { DomainStep } from "../../../src/domains/domain.ts";
import { inThread } from "../../../src/domains/private-contracts/executor/in-thread.ts";
import {
  privateContracts,
  privateContractsOn,
} from "../../../src/domains/private-contracts/private-contracts.ts";
import {
  CALLED,
  deploying,
  type HostileProgram,
  opcodePrograms,
  precompilePrograms,
} from "../../helpers/domains/hostile-bytecode.ts";
import {
  freshIntentId,
  nodeName,
  type PlayedGroup,
} from "../../helpers/domains/played-group.ts";
import {
  openContracts,
  receiptOf,
  sendRaw,
} from "../../helpers/domains/private-contracts.ts";

/** Milliseconds of this thread: other processes of a busy machine do not count. */
function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Milliseconds that some work takes of this thread: the first of four attempts below a limit, as a busy machine only adds to them. */
async function ownMsOf(
  work: () => Promise<void>,
  limitMs: number,
): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 4 && least >= limitMs; attempt++) {
    const before = ownMs();
    await work();
    least = Math.min(least, ownMs() - before);
  }
  return least;
}

async function deployRaw(group: PlayedGroup, code: string): Promise<string> {
  const bytecode = deploying(code);
  const ended = await sendRaw(group, "carol", "deploy(bytes)", { bytecode });
  const { contractAddress } = receiptOf(ended).receipt;
  if (contractAddress === null) throw new Error("Nothing was deployed.");
  return contractAddress;
}

/** A step that carol made up to be endorsed: all states of the group are there, and whatever the call does is missing. */
async function hostileStep(
  group: PlayedGroup,
  { code, data, called }: HostileProgram,
): Promise<DomainStep> {
  const other = called === undefined ? "" : await deployRaw(group, called);
  const to = await deployRaw(group, code.replaceAll(CALLED, other.slice(2)));
  const sender = nodeName("carol");
  const { payload } = group.domain.check({
    group: group.group,
    node: sender,
    from: "carol",
    signature: "invoke(address,bytes)",
    args: { to, data: parseHex(`0x${data}`) },
  });
  return {
    group: group.group,
    intentId: freshIntentId(),
    sender,
    payload,
    inputs: [],
    reads: group.ledger.all(),
    outputs: [],
    infos: [],
    calls: [],
  };
}

describe("Hostile bytecode", function () {
  this.timeout(120_000);
  const plain = privateContractsOn(inThread);

  async function open({
    evmVersion = "osaka",
  }: HostileProgram): Promise<PlayedGroup> {
    const configuration = { gasLimit: "3000000", evmVersion };
    return await openContracts({ configuration });
  }

  for (const [name, program] of Object.entries({
    ...opcodePrograms,
    ...precompilePrograms,
  }))
    it(`does not keep an endorser's thread busy with ${name}, and is judged alike everywhere`, async () => {
      const step = await hostileStep(await open(program), program);
      const fault = await plain.endorse(step);
      expect(fault).to.match(program.ends);
      const ms = await ownMsOf(async () => {
        expect(await privateContracts.endorse(step)).to.equal(fault);
      }, 50);
      expect(ms).to.be.below(50);
    });

  it("does not keep a node busy that is asked for it by its own user", async () => {
    const program = opcodePrograms["CALLDATACOPY"];
    if (program === undefined) throw new Error("There is no such program.");
    const group = await open(program);
    const { payload } = await hostileStep(group, program);
    const { to } = JSON.parse(payload) as { to: string };
    const ms = await ownMsOf(async () => {
      const args = { to, data: "0x" };
      const asked = group.query("carol", {
        signature: "call(address,bytes)",
        args,
      });
      const error = await asked.catch((reason: unknown) => reason);
      expect(String(error)).to.include("It asks for more work");
      const id = freshIntentId();
      const sender = nodeName("carol");
      const made = await group.assemble({ id, sender, payload });
      expect(made).to.include({ type: "reverted" });
    }, 100);
    expect(ms).to.be.below(100);
  });
});
