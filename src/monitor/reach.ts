import type { Reason } from "./condition.ts";
import type { MonitorPorts } from "./ports.ts";

/**
 * Why nothing can be endorsed; undefined if something can. Groups that have nothing to do send nothing, so connections tell who
 * can be reached. Without connections, as in one process, everybody can.
 */
export function findOutOfReach({
  status,
  peers,
}: Pick<MonitorPorts, "status" | "peers">): Reason | undefined {
  if (peers === undefined) return undefined;
  const { name, groups } = status();
  const own = groups.filter(({ isMember }) => isMember);
  if (own.length === 0) return undefined;
  const connected = new Set<string>(
    peers().flatMap((peer) => (peer.isConnected ? [peer.name] : [])),
  );
  const reached = (endorsers: readonly string[]): number =>
    endorsers.filter((one) => one === name || connected.has(one)).length;
  const isStuck = own.every(
    ({ endorsers, threshold }) => reached(endorsers) < threshold,
  );
  const [first] = own;
  if (!isStuck || first === undefined) return undefined;
  const text =
    own.length === 1
      ? `It reaches ${reached(first.endorsers)} of the ${first.threshold} members that must endorse.`
      : `In none of its ${own.length} groups it reaches as many members as must endorse.`;
  return { code: "no-quorum", text };
}
