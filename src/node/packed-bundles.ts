import type { Message, MessageOf } from "../protocol/messages.ts";
import type { Bundle } from "../protocol/transition.ts";
import { packSignatures } from "../keys/packed-signatures.ts";
import { standingAlone } from "../keys/step-signatures.ts";

/** Bundles are never changed in place. */
const known = new WeakMap<Bundle, Bundle>();

/** A bundle whose steps share what their signatures have in common, for endorsers and for the disk: see decision 58. */
export function packedBundle(bundle: Bundle): Bundle {
  const before = known.get(bundle);
  if (before !== undefined) return before;
  const signatures = packSignatures(bundle.steps);
  const isSame = bundle.steps.every(
    ({ signature }, at) => signature === signatures[at],
  );
  const packed = isSame
    ? bundle
    : {
        ...bundle,
        steps: bundle.steps.map((step, at) => ({
          ...step,
          signature: signatures[at] ?? "",
        })),
      };
  known.set(bundle, packed);
  return packed;
}

/** A message as it travels. */
export function packedMessage(message: Message): Message {
  return message.type === "EndorsementRequest"
    ? { ...message, bundle: packedBundle(message.bundle) }
    : message;
}

/** A proof whose step stands for itself, although it comes from a packed bundle. Whether it is signed is for the receiver to see. */
export function unpackedProof(
  proof: MessageOf<"FulfilmentProof">,
  { steps }: Bundle,
): MessageOf<"FulfilmentProof"> {
  const { step, bundle: outline } = proof;
  const signed = steps.flatMap(({ sender, signature }, at) => {
    const { hash } = outline.steps[at] ?? {};
    return hash === undefined ? [] : [{ sender, signature, hash }];
  });
  const signature = standingAlone(signed, steps.indexOf(step));
  return signature === undefined
    ? proof
    : { ...proof, step: { ...step, signature } };
}
