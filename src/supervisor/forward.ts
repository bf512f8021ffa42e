import { codes, RpcError } from "../api/rpc/errors.ts";
import { UnavailableError } from "../api/rpc/gate.ts";
import type { Method } from "../api/rpc/method.ts";
import { methods } from "../api/rpc/methods.ts";
import { ask } from "./ask.ts";
import type { ElectionView } from "./election-view.ts";

/** Methods that change nothing and look at the node only, so that any number of them may be asked again. */
export const forwarded: ReadonlySet<string> = new Set([
  "bidx_getConfirmedBlockHeight",
  "bidx_getTransactionEventsByHash",
  "pgroup_getGroupByAddress",
  "pgroup_getGroupById",
  "pgroup_queryGroups",
  "pgroup_queryGroupsWithMember",
  "ptx_getDomainReceipt",
  "ptx_getPreparedTransaction",
  "ptx_getStateReceipt",
  "ptx_getStoredABI",
  "ptx_getTransaction",
  "ptx_getTransactionByIdempotencyKey",
  "ptx_getTransactionFull",
  "ptx_getTransactionReceipt",
  "ptx_getTransactionReceiptFull",
  "ptx_queryPendingTransactions",
  "ptx_queryStoredABIs",
  "ptx_queryTransactionReceipts",
  "ptx_queryTransactions",
  "ptx_queryTransactionsFull",
  "sequencer_explain",
  "sequencer_functions",
  "sequencer_group",
  "sequencer_status",
]);

interface ForwardOptions {
  /** Of users. */
  readonly token: string | undefined;
  /** How long an answer may take. */
  readonly waitMs: number;
}

/** Methods of a node for its users that ask the active replica, and say of others where they must be sent. */
export function createForwarded(
  options: ForwardOptions,
  ports: { readonly read: () => Promise<ElectionView> },
): readonly Method[] {
  return methods
    .filter(({ name }) => name !== "rpc.discover")
    .map((one) => ({
      ...one,
      isSocketOnly: false,
      isSilent: false,
      run: async (params) => {
        const { master, url } = activeIn(await ports.read());
        if (!forwarded.has(one.name))
          throw new RpcError(
            codes.invalid,
            `PD099021: ${one.name} is not forwarded; send it to ${url ?? "the active replica"}`,
          );
        if (url === undefined)
          throw new UnavailableError({ why: "No replica is active" });
        return await forward({ ...options, master, url }, one.name, params);
      },
    }));
}

function activeIn({ master, replicas }: ElectionView): {
  readonly master: string | undefined;
  readonly url: string | undefined;
} {
  return { master, url: replicas.find(({ name }) => name === master)?.rpc };
}

async function forward(
  {
    token,
    waitMs,
    master,
    url,
  }: ForwardOptions & {
    readonly master: string | undefined;
    readonly url: string;
  },
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await ask({ url, token }, { method, params, waitMs });
  if ("result" in answer) return answer.result;
  const { error, reason } = answer;
  if (error === undefined || error.code === codes.unavailable)
    throw new UnavailableError({
      why: `${master ?? "The active replica"} does not answer: ${reason}`,
      activeUrl: url,
    });
  throw new RpcError(error.code, error.message);
}
