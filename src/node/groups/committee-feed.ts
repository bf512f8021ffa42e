import type { CommitteeConfig } from "../../protocol/config.ts";
import type { IndexedCommittee } from "../../chain/ports.ts";
import type { StoredGroup } from "../../store/groups.ts";
import { groupAt, withCommittee } from "./committees.ts";
import type { NodeDraft } from "../group-effects.ts";
import type { GroupRunner } from "../group-runner.ts";
import type { NodePorts } from "../ports.ts";
import type { Roster } from "../roster.ts";

interface CommitteeFeedPorts extends Pick<NodePorts, "directory"> {
  readonly roster: Pick<Roster, "nextBoot">;
}

/** Follows changes of committees, in the same commit as the blocks that make them or take them back. */
export class CommitteeFeed {
  readonly #ports: CommitteeFeedPorts;

  constructor(ports: CommitteeFeedPorts) {
    this.#ports = ports;
  }

  /** A block changed the committee of a group. Gives what the core is to be told. */
  follow(
    draft: NodeDraft,
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
      draft,
      runner,
      withCommittee(runner.stored, change, options),
    );
  }

  /** Blocks above `height` never happened. Undefined if none of them changed the committee. */
  takeBack(
    draft: NodeDraft,
    runner: GroupRunner,
    height: number,
  ): CommitteeConfig | undefined {
    const before = groupAt(runner.stored, height);
    return before === runner.stored
      ? undefined
      : this.#change(draft, runner, before);
  }

  #change(
    draft: NodeDraft,
    runner: GroupRunner,
    stored: StoredGroup,
  ): CommitteeConfig {
    const wasEndorser = runner.isEndorser;
    const boot = this.#ports.roster.nextBoot();
    const committee = runner.changeCommittee(stored, boot);
    const isNewEndorser = runner.isEndorser && !wasEndorser;
    draft.write({ type: "save-committee", runner, isNewEndorser });
    draft.afterCommit({ type: "committee-changed", runner, stored });
    return committee;
  }
}
