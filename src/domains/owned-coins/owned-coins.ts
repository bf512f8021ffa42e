import { type Domain, type DomainCall, DomainRefusal } from "../domain.ts";
import { abi } from "./abi.ts";
import { nodeOf } from "./account.ts";
import { assemble } from "./assemble.ts";
import { findFault } from "./endorse.ts";
import {
  accountsIn,
  type CoinIntent,
  readCall,
  writePayload,
} from "./intent.ts";
import { query } from "./query.ts";
import { isAccountOf, isIssuer, readSettings } from "./settings.ts";

/**
 * The domain `owned-coins`: every coin has an owner, and only the owner's node spends it. As nobody else does, owners never
 * contend and need no common coordinator: every node coordinates its own intents, and witnesses endorse them.
 */
export const ownedCoins: Domain = {
  name: "owned-coins",
  mode: "local",
  abi,
  checkGroup: (group) => {
    readSettings(group);
  },
  endorsersOf: (group) => readSettings(group).witnesses,
  check: (call) => {
    const intent = readCall(call);
    requireAllowed(intent, call);
    return { payload: writePayload(intent), touches: accountsIn(intent) };
  },
  assemble,
  endorse: findFault,
  query,
  receipt: (_, { infos }) => infos[0]?.data ?? {},
  isEntitled: (_, { label }, node) => nodeOf(label) === node,
  // What was spent elsewhere is not chosen again: who has nothing else left is told so.
  isRetryable: () => true,
};

/** What no witness would endorse is told at once. */
function requireAllowed(intent: CoinIntent, { group }: DomainCall): void {
  const { members } = group;
  if ("to" in intent && !isAccountOf(members, intent.to))
    throw new DomainRefusal(
      `"${intent.to}" is nobody in the group. Write name@node with one of: ${members.join(", ")}.`,
    );
  const settings = readSettings(group);
  if (intent.type !== "issue" || isIssuer(settings, intent.from)) return;
  const issuers = settings.issuers?.join(", ") ?? `all of ${settings.home}`;
  throw new DomainRefusal(
    `"${intent.from}" may not issue coins of this group. Issuers are: ${issuers}.`,
  );
}
