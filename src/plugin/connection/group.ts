import { type IntentId, parseIntentId } from "../../protocol/ids.ts";
import type { Member } from "../../cluster/member.ts";
import type { SeenState } from "../../domains/domain.ts";
import type { NodeGroup } from "../../node/service.ts";
import { SequencerError } from "../errors.ts";
import { readAnswer, readCall } from "./call.ts";
import { Intent } from "./intent.ts";
import { asUserError, asUserErrorNow } from "./refusals.ts";
import {
  account,
  optional,
  requireOptions,
  sendOptions,
} from "./require-options.ts";
import type { ClusterGroup, SendOptions, SentIntent, Value } from "./types.ts";
import type { Waits } from "./waits.ts";

/** A group, seen from all its members. */
export class Group implements ClusterGroup {
  readonly address: string;
  readonly name: string;
  readonly domain: string;
  readonly members: readonly string[];
  readonly threshold: number;
  readonly #group: NodeGroup;
  readonly #member: (name: string) => Member;
  readonly #waits: Waits;
  readonly #restores: () => number;
  readonly #since: number;

  constructor(
    group: NodeGroup,
    /** In the order in which its creator named them; the ledger has them in another. */
    members: readonly string[],
    ports: {
      readonly member: (name: string) => Member;
      readonly waits: Waits;
      /** How often the nodes went back to an earlier moment. */
      readonly restores: () => number;
    },
  ) {
    this.address = group.address;
    this.name = group.name;
    this.domain = group.domain.name;
    this.members = members;
    this.threshold = group.threshold;
    this.#group = group;
    this.#member = ports.member;
    this.#waits = ports.waits;
    this.#restores = ports.restores;
    this.#since = ports.restores();
  }

  async send(
    node: string,
    functionName: string,
    args: Readonly<Record<string, Value>> = {},
    options: SendOptions = {},
  ): Promise<SentIntent> {
    requireOptions(
      "group.send()",
      optional({ ...sendOptions, from: account }),
      options,
    );
    const { address: group, domain } = this.#group;
    const member = this.#memberOf(node);
    const call = readCall(domain, functionName, args);
    if (isView(call.fragment.stateMutability))
      throw new SequencerError("FUNCTION_IS_VIEW", { name: call.signature });
    const dependsOn = (options.dependsOn ?? []).map(idOf);
    const restores = this.#restores();
    const id = await asUserError(
      async () =>
        await this.#waits.until(
          member.name,
          member.send({
            group,
            function: call.signature,
            args: call.args,
            dependsOn,
            ...(options.from !== undefined && { from: options.from }),
          }),
          () =>
            restores === this.#restores()
              ? undefined
              : new SequencerError("SNAPSHOT_RESTORED", { what: "send()" }),
        ),
    );
    return new Intent(
      { id, group },
      { member, waits: this.#waits, restores: this.#restores },
    );
  }

  async query(
    node: string,
    functionName: string,
    args: Readonly<Record<string, Value>> = {},
    options: Pick<SendOptions, "from"> = {},
  ): Promise<Readonly<Record<string, Value>>> {
    requireOptions("group.query()", optional({ from: account }), options);
    const { address, domain } = this.#group;
    const member = this.#memberOf(node);
    const {
      fragment,
      signature,
      args: values,
    } = readCall(domain, functionName, args);
    if (!isView(fragment.stateMutability))
      throw new SequencerError("FUNCTION_IS_NO_VIEW", { name: signature });
    const answer = await asUserError(
      async () =>
        await member.node.query(address, {
          from: options.from ?? member.name,
          signature,
          args: values,
        }),
    );
    return readAnswer(fragment, answer);
  }

  states(node: string): readonly SeenState[] {
    const member = this.#memberOf(node);
    return asUserErrorNow(() =>
      member.node
        .states(this.#group.address)
        .map(({ id, schema, data }) => ({ id, schema, data })),
    );
  }

  #memberOf(name: string): Member {
    const member = this.#member(name);
    if (!this.members.includes(member.name))
      throw new SequencerError("NODE_NOT_MEMBER", {
        name,
        group: this.address,
        members: this.members.join(", "),
      });
    // Only nodes that went back to an earlier moment forget a group.
    if (
      this.#restores() !== this.#since &&
      member.isUp &&
      member.node.group(this.#group.address) === undefined
    )
      throw new SequencerError("GROUP_GONE", { group: this.address });
    return member;
  }
}

function isView(mutability: string): boolean {
  return mutability === "view" || mutability === "pure";
}

function idOf(intent: SentIntent | string): IntentId {
  const value = typeof intent === "string" ? intent : intent.id;
  const id = parseIntentId(value);
  if (id === undefined)
    throw new SequencerError("INTENT_ID_INVALID", { value });
  return id;
}
