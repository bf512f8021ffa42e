import { z } from "zod/v4";

import { method, type Method } from "../method.ts";
import { identity, word } from "../schemas/basics.ts";

export const identityMethods: readonly Method[] = [
  method({
    name: "ptx_resolveVerifier",
    summary: "By what others can check who somebody is",
    params: { lookup: identity, algorithm: word, verifierType: word },
    result: z.string(),
    run: async ({ lookup, algorithm, verifierType }, { api }) =>
      await api.verifiers.resolve(lookup, algorithm, verifierType),
  }),
];
