import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import type { Artifact } from "@nomicfoundation/ignition-core";

import { readPublished } from "../package-files.ts";

const read = (name: string): Artifact => readPublished(name) as Artifact;

/**
 * Both factories, at addresses that depend on the sender. `npx hardhat sequencer:deploy` puts them at addresses that are
 * the same on every chain; prefer it where it works.
 */
export const ledgerModule = buildModule("SequencerLedger", (m) => ({
  factory: m.contract("PrivacyGroupFactory", read("PrivacyGroupFactory")),
  atomFactory: m.contract("AtomFactory", read("AtomFactory")),
}));

/**
 * A group, with the factories of {@link ledgerModule}. Parameters of `SequencerGroup`: `members`, strictly ascending;
 * `threshold`; and, if wanted, `externalCalls` and `salt`.
 */
export const groupModule = buildModule("SequencerGroup", (m) => {
  const { factory, atomFactory } = m.useModule(ledgerModule);
  const config = {
    members: m.getParameter("members"),
    threshold: m.getParameter("threshold"),
    externalCalls: m.getParameter("externalCalls", false),
  };
  const salt = m.getParameter("salt", `0x${"00".repeat(32)}`);
  const created = m.call(factory, "createGroup", [config, salt]);
  const address = m.readEventArgument(created, "GroupCreated", "group");
  const group = m.contractAt("PrivacyGroup", read("PrivacyGroup"), address);
  return { factory, atomFactory, group };
});

export default ledgerModule;
