import type { Domain, Json, SeenState } from "../domain.ts";
import { COIN, type Lock, LOCK, type Note, readNote } from "./states.ts";

type Effect = Parameters<NonNullable<Domain["receipt"]>>[1];

/** What an intent did, as far as the node may see it. Parts that are empty are left out. */
export function receiptOf({ spent, confirmed, infos }: Effect): Json {
  const states = withoutEmpty({
    inputs: pick(spent, COIN),
    outputs: pick(confirmed, COIN),
    lockedInputs: pick(spent, LOCK),
    lockedOutputs: pick(confirmed, LOCK),
  });
  const [noted] = infos.flatMap((info) => readNote(info) ?? []);
  return { states, ...(noted !== undefined && describeNote(noted)) };
}

function pick(states: readonly SeenState[], wanted: string): Json[] {
  return states
    .filter(({ schema }) => schema === wanted)
    .map(({ id, schema, data }) => ({ id, schema, data }));
}

function withoutEmpty(
  parts: Readonly<Record<string, readonly Json[]>>,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(parts).filter(([, list]) => list.length > 0),
  );
}

function describeNote({
  by,
  transfers,
  data,
  lock,
}: Note): Readonly<Record<string, Json>> {
  return {
    ...(transfers.length > 0 && {
      transfers: transfers.map(({ from, to, amount }): Json => ({
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        amount: `0x${BigInt(amount).toString(16)}`,
      })),
    }),
    ...(lock !== undefined && { lockInfo: describeLock(lock) }),
    data,
    sender: by,
  };
}

/** With what unlocks it, if that is prepared: whoever may, sends it as it is. */
function describeLock({ lockId, owner, delegate, prepared }: Lock): Json {
  return {
    lockId,
    ...(delegate !== undefined && { delegate }),
    ...(prepared !== undefined && {
      unlockFunction: "unlock",
      unlockParams: {
        lockId,
        from: owner,
        recipients: prepared.recipients,
        data: prepared.data,
      },
    }),
  };
}
