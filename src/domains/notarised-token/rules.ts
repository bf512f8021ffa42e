import type { DomainGroup } from "../domain.ts";
import type { TokenIntent } from "./intent.ts";
import { readSettings } from "./settings.ts";
import { nodeOf } from "./words.ts";

/** Why a group does not allow an intent, whatever states there are; undefined if it does. */
export function findForbidden(
  intent: TokenIntent,
  group: DomainGroup,
): string | undefined {
  const { restrictMint, allowBurn, allowLock } = readSettings(group);
  const { endorsers, members } = group;
  if (
    intent.type === "mint" &&
    restrictMint &&
    !endorsers.some((notary) => notary === nodeOf(intent.by))
  )
    return `${intent.by} may not mint: only identities of the notaries may (${endorsers.join(", ")}).`;
  if (intent.type === "burn" && !allowBurn)
    return "This token cannot be burned: allowBurn is false.";
  if ((intent.type === "lock" || "lockId" in intent) && !allowLock)
    return "This token cannot be locked: allowLock is false.";
  const stranger = receiversOf(intent).find(
    (receiver) => !members.some((member) => member === nodeOf(receiver)),
  );
  return stranger === undefined
    ? undefined
    : `${stranger} is on no node of this group. Its nodes are: ${members.join(", ")}.`;
}

/** Those who get something: coins, or the right to unlock. */
function receiversOf(intent: TokenIntent): readonly string[] {
  if ("to" in intent) return [intent.to];
  if ("recipients" in intent) return intent.recipients.map(({ to }) => to);
  return intent.type === "delegateLock" ? [intent.delegate] : [];
}
