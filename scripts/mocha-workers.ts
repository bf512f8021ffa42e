/**
 * How tests in TypeScript run: files in parallel, which share nothing but what is compiled. Some mostly wait for
 * processes, so there is one more at a time than cores to count on.
 *
 * Not in hardhat.config.ts: contracts are looked at again whenever that changes.
 */
export const mochaWorkers = { parallel: true, jobs: 3 };
