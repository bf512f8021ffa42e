import { ArgumentType } from "hardhat/types/arguments";

/** An option that may be left out. Actions check its text, so that errors say what to do. */
export const text = {
  type: ArgumentType.STRING_WITHOUT_DEFAULT,
  defaultValue: undefined,
} as const;
