import { SequencerError } from "../errors.ts";

/** Takes `name@node` apart. */
export function parseAccount(account: string): {
  readonly name: string;
  readonly node: string;
} {
  const [name = "", node = "", more] = account.split("@");
  if (name === "" || node === "" || more !== undefined)
    throw new SequencerError("ACCOUNT_INVALID", { account });
  return { name, node };
}
