// What `npx hardhat node` does, without its command line, which gets ready for a configuration in TypeScript first.
//
//     node hardhat-node.js PORT
import { createHardhatRuntimeEnvironment } from "hardhat/hre";

const hre = await createHardhatRuntimeEnvironment({});
await hre.tasks.getTask("node").run({ port: Number(process.argv[2]) });
