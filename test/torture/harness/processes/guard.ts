import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

// Frozen and detached processes outlive whoever started them. A shell waits for the end of a pipe that only this process
// holds, and then kills what is left: also when this process was killed itself.
const script = `
while read -r sign id; do
  if [ "$sign" = + ]; then ids="$ids $id "; else ids=$(printf %s "$ids" | sed "s/ $id / /"); fi
done
for id in $ids; do kill -s KILL -- "-$id" 2>/dev/null; done`;

let shell: ChildProcess | undefined;

/** From now on, the processes of this group end with this process. */
export function guard(group: number): void {
  if (process.platform === "win32") return;
  if (shell === undefined) {
    shell = spawn("/bin/sh", ["-c", script], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    // It has nothing to wait for but the end.
    shell.unref();
    (shell.stdin as Socket).unref();
  }
  shell.stdin?.write(`+ ${group}\n`);
}

/** A group has ended by itself. */
export function release(group: number): void {
  shell?.stdin?.write(`- ${group}\n`);
}
