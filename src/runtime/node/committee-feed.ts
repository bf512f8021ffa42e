import type { CommitteeConfig } from "../../protocol/config.ts";
import type { IndexedCommittee } from "../ports.ts";
import type { StoredGroup } from "../store/groups.ts";
import type { CatchUp } from "./catch-up.ts";
import { groupAt, troubleOf, withCommittee } from "./committees.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Membership } from "./membership.ts";
import type { NodePorts } from "./ports.ts";
import type { Roster } from "./roster.ts";
import type { Turn } from "./turns.ts";

interface CommitteeFeedPorts extends Pick<
  NodePorts,
  "store" | "directory" | "onFact"
> {
  readonly roster: Pick<Roster, "nextBoot">;
  readonly membership: Pick<Membership, "offerToAdded">;
  readonly catchUp: Pick<CatchUp, "ask">;
}

/** Follows changes of committees, in the same commit as the blocks that make them or take them back. */
export class CommitteeFeed {
  readonly #ports: CommitteeFeedPorts;

  constructor(ports: CommitteeFeedPorts) {
    this.#ports = ports;
  }

  /** A block changed the committee of a group. Gives what the core is to be told. */
  follow(
    turn: Turn,
    runner: GroupRunner,
    change: IndexedCommittee,
    blocks: {
      readonly block: number;
      /** No reorganisation takes back blocks before this one. */
      readonly keepFrom: number;
    },
  ): CommitteeConfig {
    const { directory } = this.#ports;
    const { domain } = runner.group;
    const options = { ...blocks, domain, directory };
    return this.#change(
      turn,
      runner,
      withCommittee(runner.stored, change, options),
    );
  }

  /** Blocks above `height` never happened. Undefined if none of them changed the committee. */
  takeBack(
    turn: Turn,
    runner: GroupRunner,
    height: number,
  ): CommitteeConfig | undefined {
    const before = groupAt(runner.stored, height);
    return before === runner.stored
      ? undefined
      : this.#change(turn, runner, before);
  }

  #change(
    turn: Turn,
    runner: GroupRunner,
    stored: StoredGroup,
  ): CommitteeConfig {
    const { store, roster } = this.#ports;
    const wasEndorser = runner.isEndorser;
    const committee = runner.changeCommittee(stored, roster.nextBoot());
    const { isEndorser } = runner;
    turn.writes.push(() => {
      store.groups.save(runner.stored);
      // Who endorses may see everything, also what it was denied before.
      if (isEndorser && !wasEndorser) runner.book.claim();
    });
    turn.deeds.push(() => {
      this.#tell(runner, stored);
    });
    return committee;
  }

  #tell(runner: GroupRunner, stored: StoredGroup): void {
    const { membership, catchUp, onFact } = this.#ports;
    const { address: group, epoch, committee, threshold } = stored;
    onFact({
      type: "CommitteeChanged",
      group,
      epoch,
      members: committee.length,
      threshold,
      isMember: runner.isMember,
      trouble: troubleOf(stored),
    });
    membership.offerToAdded(stored);
    catchUp.ask(runner);
  }
}
