import { spawnSync } from "node:child_process";
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { identityOf } from "../../../../tasks/identity/identity.ts";
import { publishedAccount } from "../../accounts.ts";
import { root } from "../blocks.ts";

/** The nodes of the pages, and the ports at which other nodes reach them. */
const nodes = { alice: 8650, bob: 8651, carol: 8652 } as const;

/** The chain of the pages takes this id, so that their network "sepolia" is as they describe it. */
export const sepoliaChainId = 11155111;

/**
 * A project as a reader has it after `npm install`: the packed plugin, and links to all other packages of the repository. Its
 * networks "localhost" and "sepolia" are one chain, in a process of its own, and it knows the nodes alice, bob and carol.
 */
export class PagesProject {
  readonly path = mkdtempSync(path.join(tmpdir(), "pages-"));
  /** Moves the usual ports to free ones. */
  readonly #moved: (text: string) => string;

  constructor(moved: (text: string) => string) {
    this.#moved = moved;
    this.#install();
    this.#makeCommands();
    this.write("package.json", '{ "name": "pages", "type": "module" }\n');
    this.write("hardhat.config.ts", this.#config());
  }

  /** Writes a file of the project, with the ports of this machine. */
  write(file: string, text: string): void {
    const place = path.join(this.path, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, this.#moved(text));
  }

  /** The environment of commands: `npx` and `npm` are those of `bin`. */
  environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !["CI", "FORCE_COLOR", "NODE_ENV"].includes(name),
    );
    const places = [
      path.join(this.path, "bin"),
      path.join(root, "node_modules/.bin"),
      process.env["PATH"] ?? "",
    ];
    return {
      ...Object.fromEntries(inherited),
      PATH: places.join(path.delimiter),
      NO_COLOR: "1",
      SEPOLIA_RPC_URL: this.#moved("http://127.0.0.1:8545"),
      HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "false",
    };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #install(): void {
    const modules = path.join(this.path, "node_modules");
    mkdirSync(modules);
    for (const name of readdirSync(path.join(root, "node_modules")))
      if (!name.startsWith(".package"))
        symlinkSync(
          path.join(root, "node_modules", name),
          path.join(modules, name),
        );
    const pack = ["pack", "--ignore-scripts", "--pack-destination", this.path];
    run(root, "npm", pack);
    const [tarball = ""] = globSync("*.tgz", { cwd: this.path });
    run(this.path, "tar", ["-xzf", tarball]);
    renameSync(
      path.join(this.path, "package"),
      path.join(modules, "hardhat-sequencer"),
    );
    rmSync(path.join(this.path, tarball));
  }

  /**
   * `npx` without the second that npm takes to find a program that is there, and `npm install` for a project in which
   * everything is installed: it fails for a package that is not. `npm run test:example` installs with npm itself.
   */
  #makeCommands(): void {
    const npx = '#!/bin/sh\nexec node_modules/.bin/"$@"\n';
    const npm = `#!/bin/sh
[ "$1" = install ] || { echo "npm $1 is not run" >&2; exit 1; }
shift
for name; do case "$name" in -*) ;; *) [ -d "node_modules/$name" ] || exit 1 ;; esac; done
`;
    mkdirSync(path.join(this.path, "bin"));
    for (const [name, text] of Object.entries({ npm, npx })) {
      const file = path.join(this.path, "bin", name);
      writeFileSync(file, text);
      chmodSync(file, 0o755);
    }
  }

  #config(): string {
    const dataDir = path.join(this.path, "nodes");
    const peers = Object.entries(nodes).map(([name, port], index) => [
      name,
      {
        address: `127.0.0.1:${port}`,
        key: identityOf({ name, dataDir }).key,
        // sequencer:run has the first ones.
        endorser: publishedAccount(index + 10).address,
      },
    ]);
    const chain = { type: "http", url: "http://127.0.0.1:8545" };
    const solidity = {
      version: "0.8.37",
      path: path.join(root, "node_modules/solc/soljson.js"),
    };
    return `import { defineConfig } from "hardhat/config";
import hardhatSequencer from "hardhat-sequencer";

// Most commands have no use for it.
const ignition = process.argv.includes("ignition")
  ? [(await import("@nomicfoundation/hardhat-ignition")).default]
  : [];

export default defineConfig({
  plugins: [hardhatSequencer, ...ignition],
  solidity: { profiles: { default: ${JSON.stringify(solidity)}, production: ${JSON.stringify(solidity)} } },
  networks: {
    localhost: ${JSON.stringify(chain)},
    sepolia: ${JSON.stringify({ ...chain, chainId: sepoliaChainId })},
  },
  // One block is enough: nothing mines but transactions.
  ...(ignition.length > 0 ? { ignition: { requiredConfirmations: 1 } } : {}),
  sequencer: { peers: ${JSON.stringify(Object.fromEntries(peers))}, pollMs: 250 },
});
`;
  }
}

function run(cwd: string, program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}
