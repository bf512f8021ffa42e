import { registerHooks } from "node:module";

// Loaded before a test: what the environment says is loaded instead of some sources, by their addresses.

const sources = new Map(
  Object.entries(
    JSON.parse(process.env["SABOTAGED"] ?? "{}") as Record<string, string>,
  ),
);

if (sources.size > 0)
  registerHooks({
    load: (url, context, nextLoad) => {
      const source = sources.get(url);
      return source === undefined
        ? nextLoad(url, context)
        : { format: "module", source, shortCircuit: true };
    },
  });
