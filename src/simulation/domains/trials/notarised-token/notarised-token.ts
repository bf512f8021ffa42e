import { notarisedToken } from "../../../../domains/notarised-token/notarised-token.ts";
import { namesSomebodyOn } from "../../people.ts";
import type { Trial } from "../../trial.ts";
import { drawCalls } from "./calls.ts";
import { check } from "./check.ts";

/** A token whose notaries see everything, and everybody else what is his. */
export const notarisedTokenTrial: Trial = {
  domain: notarisedToken,
  configure: ({ committee }, random) => ({
    notaries: committee.join(","),
    restrictMint: String(random.chance(0.5)),
  }),
  drawCalls,
  concerns: namesSomebodyOn,
  check,
};
