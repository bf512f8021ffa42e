import { chainClientSuite } from "../../helpers/ports/chain-client-suite.ts";
import { chainsUnderTest } from "../../helpers/ports/chain-under-test.ts";

for (const [name, open] of Object.entries(chainsUnderTest))
  chainClientSuite(name, open);
