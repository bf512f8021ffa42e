export { ledgerModule as default } from "../../src/ignition/ledger.ts";
