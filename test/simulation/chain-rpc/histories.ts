import fc from "fast-check";

import {
  type Address,
  buildGroupConfig,
  buildTransition,
  encodeCreateGroup,
  encodeExecuteApproved,
  type GroupConfig,
  type Hex,
  ledgerDomain,
  parseAddress,
  parseBytes32,
  parseHex,
  parseIntentId,
  parseUint64,
  privacyGroupFactoryInterface,
  recoverSigner,
} from "../../../src/ledger/index.ts";
import { groupAddressOf } from "../../../src/simulation/chain-rpc/contracts/addresses.ts";
import { encodeStep } from "../../../src/simulation/chain-rpc/contracts/step.ts";
import { SimulatedLedger } from "../../../src/simulation/chain-rpc/ledger.ts";
import { Lockstep } from "../../helpers/differential/lockstep.ts";
import {
  apply,
  type Model,
  REENTRANT,
} from "../../helpers/differential/model.ts";
import { nextStep } from "../../helpers/differential/next-step.ts";
import { aScene, type Scene } from "../../helpers/differential/scene.ts";
import { signersInOrder } from "../../helpers/keys.ts";
import {
  chainsUnderTest,
  simulatedUnderTest,
} from "../../helpers/ports/chain-under-test.ts";
import { type Random, randomFrom } from "../../helpers/random.ts";

// The same raw transactions on Hardhat's chain and on the simulated one, in random histories with several transactions in a
// block and blocks that are taken back. Everything that both answer must be the same, but for what no model can know.

const RUNS = Number(process.env["HISTORIES"] ?? 40);
const CHAIN_ID = 31_337n;
const ABSENT = parseAddress(`0x${"de".repeat(20)}`);

const KINDS = [
  ...["step", "step", "step", "step", "step", "create", "transfer"],
  ...["deploy", "nonsense", "mine", "mine", "mine", "mark", "back"],
] as const;

interface Action {
  readonly kind: (typeof KINDS)[number];
  readonly seed: number;
}

const anAction: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(...KINDS),
  seed: fc.nat(),
});

describe("simulation: the simulated chain and Hardhat's", function () {
  this.timeout(300_000);

  it(`answer the same in ${RUNS} random histories`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anAction, { minLength: 5, maxLength: 40 }),
        async (actions) => {
          const history = await openHistory();
          for (const action of actions) await history.act(action);
          await history.finish();
        },
      ),
      { numRuns: RUNS, seed: Number(process.env["SEED"] ?? 1) },
    );
  });
});

/** A model that can be put aside and taken up again. */
type Saved = Pick<
  Model,
  "epoch" | "committee" | "unspent" | "fulfilled" | "approvals"
>;

function saved(model: Model): Saved {
  return {
    epoch: model.epoch,
    committee: model.committee,
    unspent: new Set(model.unspent),
    fulfilled: new Set(model.fulfilled),
    approvals: new Set(model.approvals),
  };
}

async function openHistory(): Promise<History> {
  const failures = new Map<string, Hex | "no code">();
  const ledger = new SimulatedLedger(
    {},
    { failureOf: (target, data) => failures.get(target + data) },
  );
  const open = chainsUnderTest["Hardhat's chain"];
  if (open === undefined) throw new Error("There is no chain.");
  const chains = new Lockstep([await open(), simulatedUnderTest(ledger)]);
  await chains.deploy();
  return new History(chains, ledger, failures);
}

class History {
  readonly #chains: Lockstep;
  readonly #ledger: SimulatedLedger;
  readonly #failures: Map<string, Hex | "no code">;
  readonly #scenes: Scene[] = [];
  #block = 1n;
  #mark: (() => Promise<void>) | undefined;

  constructor(
    chains: Lockstep,
    ledger: SimulatedLedger,
    failures: Map<string, Hex | "no code">,
  ) {
    this.#chains = chains;
    this.#ledger = ledger;
    this.#failures = failures;
  }

  async act({ kind, seed }: Action): Promise<void> {
    const random = randomFrom(seed);
    const account = random.below(this.#chains.accounts.length);
    const { factory } = this.#ledger.options;
    switch (kind) {
      case "step":
        await this.#step(random, account);
        break;
      case "create":
        await this.#create(random, account);
        break;
      case "transfer":
        await this.#chains.send(account, {
          to: random.pick([ABSENT, this.#addressOf(random.below(3)), factory]),
          data: parseHex("0x"),
          value: BigInt(random.below(3)),
          legacy: random.chance(0.5),
        });
        break;
      case "deploy":
        // A program that ends at once.
        await this.#chains.send(account, {
          to: undefined,
          data: parseHex("0x00"),
        });
        break;
      case "nonsense":
        await this.#chains.send(account, {
          to: this.#scenes[0]?.model.domain.group ?? factory,
          data: parseHex(random.bytes32().slice(0, 10 + 2 * random.below(20))),
        });
        break;
      case "mine":
        this.#block = BigInt(await this.#chains.mine());
        break;
      case "mark": {
        await this.act({ kind: "mine", seed });
        const before = this.#scenes.map(({ model }) => saved(model));
        const back = await this.#chains.mark();
        this.#mark = async () => {
          await back();
          this.#scenes.splice(before.length);
          before.forEach((old, i) =>
            Object.assign(this.#scenes[i]?.model ?? {}, old),
          );
        };
        break;
      }
      case "back":
        await this.#mark?.();
        if (this.#mark !== undefined) await this.act({ kind: "mine", seed });
        this.#mark = undefined;
    }
  }

  async finish(): Promise<void> {
    await this.act({ kind: "mine", seed: 0 });
    await this.#chains.compare(this.#scenes);
    await this.#chains.close();
  }

  async #step(random: Random, account: number): Promise<void> {
    const found = this.#scenes[random.below(this.#scenes.length)];
    if (found === undefined) {
      await this.#create(random, account);
      return;
    }
    const scene: Scene = { ...found, random };
    const next = this.#block + 1n;
    const step = nextStep(scene, next);
    found.series = scene.series;
    found.steps.push(step);
    apply(found.model, step, next);
    const data = encodeStep(step);
    const to = found.model.domain.group;
    const sender =
      step.type === "ExecuteApproved"
        ? [0, 1, 2].find((i) => this.#addressOf(i) === step.caller)
        : account;
    const from = this.#addressOf(sender ?? account);
    await this.#chains.ask("eth_call", { from, to, data }, "latest");
    await this.#chains.send(sender ?? account, { to, data });
  }

  async #create(random: Random, account: number): Promise<void> {
    const { factory } = this.#ledger.options;
    const config = aConfig(random);
    const salt = parseBytes32(`0x${"0".repeat(63)}${random.below(2)}`);
    const data = encodeCreateGroup(config, salt);
    const from = this.#addressOf(account);
    const answer = await this.#chains.ask(
      "eth_call",
      { from, to: factory, data },
      "latest",
    );
    await this.#chains.send(account, { to: factory, data });
    if (typeof answer !== "string") return;
    const { implementation } = this.#ledger;
    const group = groupAddressOf(
      { factory, implementation },
      { creator: from, config, salt },
    );
    const isKnown = this.#scenes.some(
      ({ model }) => model.domain.group === group,
    );
    if (!isKnown) this.#scenes.push(this.#aScene(group, config, random));
  }

  #aScene(group: Address, config: GroupConfig, random: Random): Scene {
    const { factory } = this.#ledger.options;
    const again = encodeExecuteApproved(
      buildTransition({
        epoch: 0n,
        intents: [parseIntentId(random.bytes32())],
      }),
    );
    const good = parseHex(
      privacyGroupFactoryInterface.encodeFunctionData("implementation"),
    );
    const unknown = parseHex("0x12345678");
    const nothing = parseHex("0x");
    this.#failures.set(factory + unknown, nothing);
    this.#failures.set(ABSENT + nothing, "no code");
    this.#failures.set(group + again, REENTRANT);
    const calls = [
      { target: factory, data: good },
      { target: factory, data: unknown },
      { target: ABSENT, data: nothing },
      { target: group, data: again },
    ].map((call) => ({ ...call, gasMin: parseUint64(random.below(100_000)) }));
    const signedBy: Model["signedBy"] = new Map();
    const model: Model = {
      domain: ledgerDomain({ chainId: CHAIN_ID, group }),
      externalCalls: config.externalCalls,
      failureOf: (target, data) => this.#failures.get(target + data),
      epoch: 0n,
      committee: config,
      unspent: new Set(),
      fulfilled: new Set(),
      approvals: new Set(),
      signedBy,
      recover: (digest, signature) =>
        signedBy.get(digest + signature.r + signature.vs) ??
        recoverSigner(digest, signature),
    };
    const accounts = [0, 1, 2].map((i) => this.#addressOf(i));
    return aScene({ random, model, accounts, calls });
  }

  #addressOf(account: number): Address {
    const found = this.#chains.accounts[account];
    if (found === undefined) throw new Error("There is no such account.");
    return found.address;
  }
}

/** Mostly a good one. */
function aConfig(random: Random): GroupConfig {
  const members = signersInOrder(1 + random.below(4)).map(
    ({ address }) => address,
  );
  const good = buildGroupConfig({
    members,
    threshold: 1 + random.below(members.length),
    externalCalls: random.chance(0.3),
  });
  if (!random.chance(0.2)) return good;
  return random.pick([
    { ...good, threshold: 0 },
    { ...good, threshold: members.length + 1 },
    { ...good, members: [] },
    { ...good, members: [...good.members, ABSENT, ABSENT] },
  ]);
}
