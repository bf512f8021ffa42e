import type { Digest, GroupAddress } from "../protocol/ids.ts";
import type { DispatchRecord } from "../protocol/records.ts";
import type { Bundles } from "./bundles.ts";
import { corrupt } from "./store-error.ts";

/** What of a dispatch stays as it is. */
type LastingDispatch = Omit<DispatchRecord, "acknowledged">;

/** A dispatch whose bundle is among the endorsed ones: only the signatures of its steps may have another form there. */
export interface ShortDispatch extends Omit<DispatchRecord, "bundle"> {
  readonly digest: Digest;
  readonly signatures: readonly string[];
}

/** A coordinator that endorsed its own bundle has it on the disk already, and does not write it again. */
export function shortened(
  bundles: Pick<Bundles, "has">,
  group: GroupAddress,
  dispatch: LastingDispatch,
): LastingDispatch | Omit<ShortDispatch, "acknowledged"> {
  const { bundle, ...others } = dispatch;
  const { digest, steps } = bundle;
  if (!bundles.has(group, digest)) return dispatch;
  const signatures = steps.map(({ signature }) => signature);
  return { ...others, digest, signatures };
}

/** The dispatch as it was. */
export function lengthened(
  bundles: Pick<Bundles, "find">,
  group: GroupAddress,
  dispatch: ShortDispatch,
): DispatchRecord {
  const { digest, signatures, ...others } = dispatch;
  const bundle = bundles.find(group, digest);
  if (bundle?.steps.length !== signatures.length)
    throw corrupt("records", `dispatch:${digest}`, "its bundle is missing");
  const steps = bundle.steps.map((step, at) => ({
    ...step,
    signature: signatures[at] ?? step.signature,
  }));
  return { ...others, bundle: { ...bundle, steps } };
}
