import { parentPort, workerData } from "node:worker_threads";

import { startFake } from "./fixture.ts";

/** A server in a thread of its own, which tells for how long it held its event loop. */
const { transactions } = workerData as { readonly transactions: number };
const { book, database, group, httpUrl, webSocketUrl, settle } =
  await startFake();

database.write(() => {
  for (let index = 0; index < transactions; index++) add(index);
});

function add(index: number): void {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  const hash = `0x${String(index).padStart(64, "0")}`;
  book.transactions.insert({
    id,
    idempotencyKey: `${"a".repeat(200)}${index}`,
    group,
    intentId: hash,
    created: book.now(),
    submitMode: "auto",
    type: "private",
    domain: "toy",
    from: "alice",
    to: group,
    function: "mint(string,uint256)",
    abiReference: `0x${"00".repeat(32)}`,
    data: {},
    dependsOn: [],
  });
  book.receipts.insert({
    transactionId: id,
    indexed: book.now(),
    isSuccess: true,
    type: "private",
    domain: "toy",
    contractAddress: undefined,
    source: group,
    transactionHash: hash,
    blockNumber: index,
    transactionIndex: 0,
    logIndex: 0,
    failureMessage: undefined,
    revertData: undefined,
  });
}

/** Of this thread alone, so that it does not matter what else the machine does. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

let last = busyMs();
let longest = 0;
setInterval(() => {
  const now = busyMs();
  longest = Math.max(longest, now - last);
  last = now;
}, 1);

parentPort?.on("message", (wanted: "begin" | "end" | "settle") => {
  void answer(wanted).then((found) => {
    parentPort?.postMessage(found);
  });
});

async function answer(wanted: "begin" | "end" | "settle"): Promise<number> {
  if (wanted === "settle") await settle();
  // What was under way is over, and was measured.
  await new Promise((resolve) => setTimeout(resolve, 10));
  if (wanted === "begin") longest = 0;
  return longest;
}

parentPort?.postMessage({ httpUrl, webSocketUrl, group });
