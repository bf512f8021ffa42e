export { groupModule as default } from "../../src/ignition/ledger.ts";
