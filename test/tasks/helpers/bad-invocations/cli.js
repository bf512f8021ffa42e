// Hardhat's command line in one process for many commands: each comes as a message with its words, and is answered with what
// the command would have printed and its exit code.
import { main } from "../../../../node_modules/hardhat/dist/src/internal/cli/main.js";
import { resetGlobalHardhatRuntimeEnvironment } from "../../../../node_modules/hardhat/dist/src/internal/global-hre-instance.js";

// Each command adds listeners for errors that nobody handles.
process.setMaxListeners(0);
process.setSourceMapsEnabled(true);

/** Keeps what is written to a stream in the meantime. */
function keep(stream) {
  const write = stream.write;
  let text = "";
  stream.write = (part, encoding, done) => {
    text += part;
    const callback = typeof encoding === "function" ? encoding : done;
    callback?.();
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}

process.on("message", async (words) => {
  process.exitCode = undefined;
  const stdout = keep(process.stdout);
  const stderr = keep(process.stderr);
  // Node itself reads TypeScript, once for all commands.
  await main(words, { registerTsx: false, warnAboutUnusedPlugins: true });
  resetGlobalHardhatRuntimeEnvironment();
  process.send({
    exitCode: process.exitCode ?? 0,
    stdout: stdout(),
    stderr: stderr(),
  });
});
process.on("disconnect", () => process.exit(0));
