import { chainsUnderTest } from "../helpers/ports/chain-under-test.ts";
import { describeChain } from "./suites/chain.ts";

for (const [name, open] of Object.entries(chainsUnderTest))
  describeChain(name, open);
