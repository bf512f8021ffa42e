import type { Indexer } from "../chain/indexer/indexer.ts";
import type { Submitter } from "../chain/submitter/submitter.ts";
import type { OnDomainError } from "../domains/guarded.ts";
import { Assembling } from "./assembling.ts";
import { BlockFeed } from "./blocks.ts";
import { CatchUp } from "./catch-up.ts";
import { CommitteeFeed } from "./groups/committee-feed.ts";
import { LoopDriver, type Machine } from "./driver.ts";
import { EffectRunner } from "./effect-runner.ts";
import { Endorsing } from "./endorsing.ts";
import { createMembership } from "./groups/founding.ts";
import { addEffects } from "./group-effects.ts";
import type { GroupRunner } from "./group-runner.ts";
import { GroupSchedule } from "./group-schedule.ts";
import { GroupSearch } from "./groups/group-search.ts";
import { createIndexer } from "./indexing.ts";
import { Intake } from "./intake.ts";
import { Mailbox } from "./mailbox.ts";
import type { Membership } from "./groups/membership.ts";
import type { NodeEffect } from "./node-effects.ts";
import {
  isAlone,
  type NodeEvent,
  type NodeLoop,
  postToGroups,
  type PostToGroup,
} from "./node-events.ts";
import type { NodeOptions } from "./node.ts";
import { NodeSteps } from "./node-steps.ts";
import type { NodeWrite } from "./node-writes.ts";
import { compareReceipts } from "./own-receipts.ts";
import { PeerLink } from "./peer-link.ts";
import { PeerQuotas } from "./peer-quotas.ts";
import type { NodePorts } from "./ports.ts";
import { Rejoining } from "./groups/rejoining.ts";
import { Requests } from "./requests.ts";
import { Roster } from "./roster.ts";
import { ticksOf } from "./settings.ts";
import { SettledListeners } from "./settled-listeners.ts";
import { Showing } from "./showing.ts";
import { StoreWriter } from "./store-writer.ts";
import { createSubmitter } from "./submitting.ts";
import { Ticking } from "./ticking.ts";
import { Troubles } from "./trouble.ts";
import { UserKeys } from "./user-keys.ts";

/** What the parts of a node are connected with. */
export interface PartPorts extends NodePorts {
  readonly onDomainError: OnDomainError;
  /** Something is wrong that does not mend itself. */
  readonly fail: (error: unknown) => void;
  readonly isStopped: () => boolean;
}

/** The parts that all others use. */
interface BaseParts {
  readonly loop: NodeLoop;
  readonly requests: Requests;
  readonly post: PostToGroup;
  readonly schedule: GroupSchedule<GroupRunner>;
  readonly roster: Roster;
  readonly link: PeerLink;
  readonly send: PeerLink["send"];
  readonly settled: SettledListeners;
  readonly catchUp: CatchUp;
  readonly userKeys: UserKeys;
}

/** The way to the chain. */
interface ChainParts {
  readonly indexer: Indexer;
  readonly submitter: Submitter;
}

/** The parts that get a node into groups. */
interface GroupParts {
  readonly intake: Intake;
  readonly rejoining: Rejoining;
  readonly groupSearch: GroupSearch;
  readonly membership: Membership;
}

/** The parts that ask domains. */
interface DomainParts {
  readonly assembling: Assembling;
  readonly endorsing: Endorsing;
  readonly showing: Showing;
}

/** All parts of a node. */
export interface NodeParts
  extends BaseParts, ChainParts, GroupParts, DomainParts {
  readonly mailbox: Mailbox;
  readonly ticking: Ticking<GroupRunner>;
  readonly effects: EffectRunner;
  /** What becomes of the batches of the loop. */
  readonly machine: Machine<NodeEvent, NodeWrite, NodeEffect>;
}

/** Creates the parts of a node in an order in which each knows only those before it. */
export function createParts(options: NodeOptions, ports: PartPorts): NodeParts {
  const base = createBase(options, ports);
  const chain = createChain(options, { ...ports, ...base });
  const groups = createGroups(options, { ...ports, ...base, ...chain });
  const domains = createDomains(options, { ...ports, ...base });
  const quotas = new PeerQuotas();
  const parts = { ...ports, ...base, ...chain, ...groups, ...domains, quotas };
  const mailbox = new Mailbox(parts);
  const { tickMs } = options.settings;
  const ticking = new Ticking<GroupRunner>(
    { tickMs, ...ticksOf(options.settings) },
    {
      ...parts,
      addEffects,
      onRetry: () => {
        parts.catchUp.retry(parts.roster.loaded());
        parts.membership.repeat();
        parts.rejoining.repeat();
        parts.userKeys.repeat();
        parts.showing.renew();
      },
    },
  );
  const feed = new BlockFeed({
    ...parts,
    committees: new CommitteeFeed(parts),
  });
  const height = base.schedule.height;
  const effects = new EffectRunner({ height }, { ...parts, ticking });
  const { step } = new NodeSteps({ ...parts, feed, ticking });
  const { apply } = new StoreWriter(parts);
  const { perform } = effects;
  const { onBatch } = ports;
  const machine = { step, isAlone, apply, perform, onBatch };
  return { ...parts, mailbox, ticking, effects, machine };
}

function createBase(options: NodeOptions, ports: PartPorts): BaseParts {
  const { store, timers, fail, onEvent } = ports;
  const self = options.name;
  const requests = new Requests();
  const loop: NodeLoop = new LoopDriver({
    store,
    timers,
    onEvent,
    onFatal: (error) => {
      requests.stop();
      fail(error);
    },
  });
  const schedule = new GroupSchedule<GroupRunner>(
    store.blocks.head()?.number ?? 0,
  );
  const link = new PeerLink(ports);
  const { send } = link;
  return {
    loop,
    requests,
    schedule,
    link,
    send,
    post: postToGroups(loop),
    roster: new Roster({ ...options, self }, { ...ports, schedule, loop }),
    settled: new SettledListeners(),
    catchUp: new CatchUp({ self }, { ...ports, loop, send }),
    userKeys: new UserKeys({ self }, { ...ports, send }),
  };
}

function createChain(
  options: NodeOptions,
  ports: PartPorts & BaseParts,
): ChainParts {
  const troubles = new Troubles(ports.onFact);
  const indexer = createIndexer(options, { ...ports, troubles });
  const client = compareReceipts({
    ...ports,
    onMissed: (place) => {
      if (!ports.isStopped()) indexer.reindex(place);
    },
  });
  const submitter = createSubmitter(options, { ...ports, troubles, client });
  return { indexer, submitter };
}

function createGroups(
  options: NodeOptions,
  ports: PartPorts & BaseParts & ChainParts,
): GroupParts {
  const { store, roster, endorser } = ports;
  const { name: self, factory, settings } = options;
  const intake = new Intake(ports);
  const has = (group: Parameters<Roster["has"]>[0]): boolean =>
    roster.has(group);
  const rejoining = new Rejoining({ self }, { ...ports, has });
  const groupSearch = new GroupSearch(
    {
      factory,
      endorser: endorser.address,
      from: store.missingGroups.through() + 1,
    },
    {
      ...ports,
      onFound: (found, progress) => {
        rejoining.found(found, progress);
      },
    },
  );
  const membership = createMembership(
    { self, factory, policy: settings.policy },
    { ...ports, intake, rejoining },
  );
  return { intake, rejoining, groupSearch, membership };
}

function createDomains(
  { name: self, settings }: NodeOptions,
  ports: PartPorts & BaseParts,
): DomainParts {
  // Whoever asked gives it up after that time. Until then there has to be an answer.
  const waitMs = settings.stateMs / 2;
  return {
    assembling: new Assembling({ self, assembleMs: 1.8 * waitMs }, ports),
    endorsing: new Endorsing({ waitMs }, ports),
    showing: new Showing({ bundles: ports.store.bundles, send: ports.send }),
  };
}
