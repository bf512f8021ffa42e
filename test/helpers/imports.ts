import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** Files, and the files that each imports by value: types alone leave nothing behind at run time. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** An import or export from a file. Lazy imports are left out: they are loaded after the file that has them. */
const STATEMENT =
  /^(?:import|export)\s+(?!type\s)(?:(?<names>[^;"']*?)\s*from\s*)?"(?<file>\.[^"]+)"/gm;

/** Reads the imports of all files of a folder. */
export function importsIn(root: string): Imports {
  const files = globSync("**/*.ts", { cwd: root }).map(toPosix).sort();
  return new Map(
    files.map((file) => [
      file,
      importedBy(readFileSync(path.join(root, file), "utf8"))
        .map((other) => path.posix.join(path.posix.dirname(file), other))
        .filter((other) => !other.startsWith("..")),
    ]),
  );
}

/** The files that a source imports by value, as it names them. */
export function importedBy(source: string): readonly string[] {
  return [...source.matchAll(STATEMENT)].flatMap(({ groups = {} }) => {
    const { names = "", file } = groups;
    const listed = /\{([^}]*)\}/.exec(names)?.[1]?.split(",") ?? [];
    const given = listed.map((name) => name.trim()).filter(Boolean);
    const isOnlyTypes =
      given.length > 0 &&
      given.every((name) => name.startsWith("type ")) &&
      /^\{[^}]*\}$/.test(names.trim());
    return isOnlyTypes ? [] : (file ?? []);
  });
}

/**
 * Cycles between the files and folders that stand next to each other in one folder, for each folder. A folder imports what
 * any file in it imports.
 */
export function cyclesIn(imports: Imports): readonly string[] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const [file, others] of imports)
    for (const other of others) {
      const { level, from, to } = fork(file, other);
      const edges = levels.get(level) ?? new Map<string, Set<string>>();
      levels.set(level, edges);
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  return [...levels].flatMap(([level, edges]) =>
    cycleOf(edges).map((names) => `${level || "."}: ${names.join(" → ")}`),
  );
}

/** Where the ways to two files part, and the two entries of that folder that lead to them. */
function fork(
  file: string,
  other: string,
): { readonly level: string; readonly from: string; readonly to: string } {
  const a = file.split("/");
  const b = other.split("/");
  const depth = a.findIndex((part, index) => part !== b[index]);
  return {
    level: a.slice(0, depth).join("/"),
    from: a[depth] ?? "",
    to: b[depth] ?? "",
  };
}

/** One cycle, or none. */
function cycleOf(
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const done = new Set<string>();
  const way: string[] = [];
  function visit(name: string): readonly string[] | undefined {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    way.push(name);
    for (const next of edges.get(name) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    way.pop();
    done.add(name);
    return undefined;
  }
  for (const name of edges.keys()) {
    const cycle = visit(name);
    if (cycle !== undefined) return [cycle];
  }
  return [];
}

function toPosix(file: string): string {
  return file.replaceAll("\\", "/");
}
