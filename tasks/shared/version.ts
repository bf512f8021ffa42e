import { readFileSync } from "node:fs";

let known: string | undefined;

/** The version of this package. */
export function version(): string {
  known ??= (
    JSON.parse(readFileSync(packageFile(), "utf8")) as {
      readonly version: string;
    }
  ).version;
  return known;
}

/** Next to the sources, or next to what they were compiled to. */
function packageFile(): URL {
  const isCompiled = import.meta.url.endsWith(".js");
  return new URL(
    isCompiled ? "../../../package.json" : "../../package.json",
    import.meta.url,
  );
}
