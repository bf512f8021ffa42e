// The other thread of curve-thread.ts: takes jobs, gives results.
import { parentPort } from "node:worker_threads";

import { nativeCurve } from "../ledger/native-curve.ts";
import { doJobs } from "./curve-jobs.ts";

parentPort?.on("message", (jobs: Uint8Array) => {
  if (nativeCurve === undefined) throw new Error("There is no library.");
  const results = doJobs(jobs, nativeCurve);
  parentPort?.postMessage(results, [results.buffer as ArrayBuffer]);
});
