import { startFake } from "../../helpers/rpc/fixture.ts";
import { transactionsSuite } from "../../helpers/rpc/transactions-suite.ts";

transactionsSuite("with a fake node", startFake);
