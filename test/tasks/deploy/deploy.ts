import { expect } from "chai";

import { deploymentProxy } from "../../../src/plugin/deployment/addresses.ts";
import type { DeployFact } from "../../../src/plugin/deployment/facts.ts";
import {
  PrivacyGroup__factory,
  PrivacyGroupFactory__factory,
} from "../../../src/typechain/index.ts";
import {
  anEnvironment,
  blockNumber,
  deploy,
  members,
} from "../../plugin/helpers/environment.ts";

const three = members.join(",");

function names(
  facts: readonly DeployFact[],
  type: "deployed" | "present" | "planned",
): string[] {
  return facts.flatMap((fact) => (fact.type === type ? [fact.name] : []));
}

describe("plugin: deploy", function () {
  this.timeout(20_000);

  it("puts the proxy, both factories and a group on an empty chain", async function () {
    const hre = await anEnvironment();
    const { deployment, facts } = await deploy(hre, {
      members: three,
      threshold: "3",
      externalCalls: true,
    });
    expect(names(facts, "deployed")).to.deep.equal([
      "funding",
      "proxy",
      "factory",
      "atomFactory",
      "group",
    ]);
    expect(deployment.transactions).to.have.lengthOf(5);
    const { ethers } = await hre.network.getOrCreate();
    const group = PrivacyGroup__factory.connect(
      deployment.group?.address ?? "",
      ethers.provider,
    );
    const committee = await group.committee();
    expect([...committee.members]).to.deep.equal([...members].reverse());
    expect(committee.threshold).to.equal(3n);
    expect(await group.allowsExternalCalls()).to.equal(true);
    const factory = PrivacyGroupFactory__factory.connect(
      deployment.factory,
      ethers.provider,
    );
    expect(await factory.implementation()).to.equal(deployment.implementation);
  });

  it("takes names of groups that objects have anyway", async function () {
    const hre = await anEnvironment();
    for (const name of ["constructor", "__proto__"]) {
      const { deployment } = await deploy(hre, { members: three, name });
      expect(Object.keys(deployment.config?.groups ?? {})).to.deep.equal([
        name,
      ]);
    }
  });

  it("sends nothing the second time", async function () {
    const hre = await anEnvironment();
    const first = await deploy(hre, { members: three });
    const blocks = await blockNumber(hre);
    const second = await deploy(hre, { members: three });
    expect(await blockNumber(hre)).to.equal(blocks);
    expect(second.deployment.transactions).to.deep.equal([]);
    expect(names(second.facts, "present")).to.deep.equal([
      "proxy",
      "factory",
      "atomFactory",
      "group",
    ]);
    expect(second.deployment.group).to.deep.equal(first.deployment.group);
  });

  it("goes on where an earlier run stopped", async function () {
    const hre = await anEnvironment();
    const { ethers } = await hre.network.getOrCreate();
    const [signer] = await ethers.getSigners();
    const { signer: to, funding, transaction } = deploymentProxy;
    await signer?.sendTransaction({ to, value: funding / 3n });
    const half = await deploy(hre);
    expect(half.deployment.transactions).to.have.lengthOf(4);
    expect(await ethers.provider.getCode(deploymentProxy.address)).to.equal(
      deploymentProxy.code,
    );
    expect(transaction).to.match(/^0xf8a5/);
    const whole = await deploy(hre, { members: three });
    expect(names(whole.facts, "deployed")).to.deep.equal(["group"]);
  });

  it("tells groups apart by salt, threshold and sender", async function () {
    const hre = await anEnvironment();
    const addresses = new Set<string | undefined>();
    const variants = [
      {},
      { salt: "second" },
      { threshold: "1" },
      { from: "1" },
      { from: members[0] },
      { externalCalls: true },
    ];
    for (const variant of variants) {
      const run = await deploy(hre, { members: three, ...variant });
      addresses.add(run.deployment.group?.address);
    }
    expect(addresses.size).to.equal(variants.length);
  });

  it("sends nothing in a dry run, and foretells the gas exactly", async function () {
    const hre = await anEnvironment();
    const options = { members: three, salt: "dry" };
    const dry = await deploy(hre, { ...options, dryRun: true });
    expect(await blockNumber(hre)).to.equal(0);
    const real = await deploy(hre, options);
    const planned = dry.facts.flatMap((fact) =>
      fact.type === "planned" ? [[fact.name, fact.gas]] : [],
    );
    const used = real.facts.flatMap((fact) =>
      fact.type === "deployed" ? [[fact.name, fact.gasUsed]] : [],
    );
    expect(planned).to.deep.equal(used);
    expect(planned).to.have.lengthOf(5);
    const { group, factory, atomFactory } = real.deployment;
    expect(dry.deployment).to.deep.include({ group, factory, atomFactory });
    const estimate = dry.facts.find(({ type }) => type === "estimate");
    expect(estimate).to.deep.include({ gas: real.deployment.gasUsed });
  });

  it("plans only what is missing", async function () {
    const hre = await anEnvironment();
    await deploy(hre);
    const { facts } = await deploy(hre, { members: three, dryRun: true });
    expect(names(facts, "planned")).to.deep.equal(["group"]);
    const { facts: none } = await deploy(hre, { dryRun: true });
    expect(names(none, "planned")).to.deep.equal([]);
  });

  it("uses the factory of the configuration", async function () {
    const source = await anEnvironment();
    const { ethers } = await source.network.getOrCreate();
    const own = await new PrivacyGroupFactory__factory(
      await ethers.provider.getSigner(0),
    ).deploy();
    const factory = await own.getAddress();
    source.config.sequencer = {
      ...source.config.sequencer,
      networks: { default: { factory, groups: {} } },
    };
    const { deployment, facts } = await deploy(source, { members: three });
    expect(deployment.factory).to.equal(factory);
    expect(deployment.implementation).to.equal(await own.implementation());
    expect(deployment.atomFactory).to.equal(null);
    expect(names(facts, "deployed")).to.deep.equal(["group"]);
    expect(deployment.config).to.deep.equal({
      factory,
      groups: { main: deployment.group?.address },
    });
    expect(deployment.group?.address).to.equal(
      await own.groupAddress(
        deployment.sender,
        {
          members: [...members].reverse(),
          threshold: 2,
          externalCalls: false,
        },
        deployment.group?.salt ?? "",
      ),
    );
  });

  it("keeps other groups of the configuration in what it prints", async function () {
    const other = `0x${"12".repeat(20)}`;
    const hre = await anEnvironment({
      sequencer: { networks: { default: { groups: { other } } } },
    });
    const { deployment } = await deploy(hre, { members: three, name: "main" });
    expect(deployment.config?.groups).to.deep.equal({
      other,
      main: deployment.group?.address,
    });
  });
});
