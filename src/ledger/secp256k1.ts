import { computeAddress, Signature, SigningKey } from "ethers";

import type { Hex } from "./hex.ts";
import { parseAddress } from "./ids.ts";
import { type Curve, nativeCurve } from "./native-curve.ts";

/** In JavaScript. */
export const plainCurve: Curve = {
  signer: (privateKey) => {
    const key = new SigningKey(privateKey);
    return (digest) => key.sign(digest).serialized as Hex;
  },
  recover: (digest, { r, vs: yParityAndS }) => {
    const signature = Signature.from({ r, yParityAndS });
    const key = SigningKey.recoverPublicKey(digest, signature);
    return parseAddress(computeAddress(key));
  },
};

/** The fastest that there is. */
export const curve: Curve = nativeCurve ?? plainCurve;
