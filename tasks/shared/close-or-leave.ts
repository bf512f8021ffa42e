import type { Parts } from "../../src/host/parts.ts";
import type { Control } from "./control.ts";

/** How long closing may take for users who do not want to wait. */
export const leaveMs = 2_000;

/** Closes everything. Users that ask a second time, before or meanwhile, do not wait for it longer than `graceMs`. */
export async function closeOrLeave(
  parts: Parts,
  { left }: Pick<Control, "left">,
  graceMs: number,
): Promise<void> {
  const closed = parts.close();
  closed.catch(() => undefined);
  const gone = left.then(async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref());
  });
  await Promise.race([closed, gone]);
}
