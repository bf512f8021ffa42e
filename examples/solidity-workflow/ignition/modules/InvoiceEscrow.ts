import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { groupModule } from "hardhat-sequencer/ignition";

/** A group, and an escrow that obeys it. The group's members and threshold are parameters of `SequencerGroup`. */
export default buildModule("InvoiceEscrow", (m) => {
  const { group } = m.useModule(groupModule);
  const escrow = m.contract("InvoiceEscrow", [group], {
    value: 10n ** 18n,
  });
  return { group, escrow };
});
