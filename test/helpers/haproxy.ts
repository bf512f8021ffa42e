import {
  type ChildProcess,
  execFileSync,
  spawn,
  spawnSync,
} from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";

import { selfSigned } from "../../src/keys/certificate.ts";
import { until } from "../torture/harness/processes/until.ts";
import { temporaryDirectory } from "./stores.ts";
import { readPage } from "./docs/blocks.ts";

/** Whether HAProxy is installed. If it is not, this says so, where everybody sees it, and tests that need it are skipped. */
export function hasHaproxy(): boolean {
  try {
    execFileSync("haproxy", ["-v"], { stdio: "ignore" });
    return true;
  } catch (error) {
    if (process.env["SEQUENCER_REQUIRE_HAPROXY"] !== undefined) throw error;
    console.error(
      "HAProxy is not installed, so docs/haproxy/haproxy.cfg is NOT tested. Install it: apt-get install haproxy",
    );
    return false;
  }
}

/** Where one replica of the page really is. */
export interface Backend {
  readonly http: number;
  readonly webSocket: number;
  readonly status: number;
}

/** HAProxy with the configuration of the page, for replicas of this machine. */
export class Haproxy {
  readonly port: number;
  readonly #directory = temporaryDirectory();
  readonly #file: string;
  #process: ChildProcess | undefined;
  #said = "";

  constructor(port: number, backends: Readonly<Record<"r1" | "r2", Backend>>) {
    this.port = port;
    const certificate = path.join(this.#directory.path, "alice.pem");
    writeFileSync(certificate, aCertificate());
    const text = readPage("docs/haproxy/haproxy.cfg")
      .replace("/etc/haproxy/alice.pem", certificate)
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replace(
        /server (r[12]) 10\.0\.[01]\.7:(8550|8551) check port 8552/g,
        (_, name: "r1" | "r2", usual: string) => {
          const { http, webSocket, status } = backends[name];
          return `server ${name} 127.0.0.1:${usual === "8550" ? http : webSocket} check port ${status}`;
        },
      );
    if (/10\.0\.|:443|8552/.test(text))
      throw new Error(`The page has other addresses now:\n${text}`);
    this.#file = path.join(this.#directory.path, "haproxy.cfg");
    writeFileSync(this.#file, text);
  }

  /** Whether HAProxy takes the configuration, and what it says about it. */
  check(): { readonly isValid: boolean; readonly said: string } {
    const { status, stdout, stderr } = spawnSync(
      "haproxy",
      ["-c", "-f", this.#file],
      { encoding: "utf8" },
    );
    return { isValid: status === 0, said: `${stdout}${stderr}` };
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    // In the foreground: it ends with its parent's signal.
    const child = spawn("haproxy", ["-db", "-f", this.#file], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    await until({ what: "HAProxy listens", deadlineMs: 20_000 }, async () => {
      if (child.exitCode !== null) throw new Error(this.#said);
      await accepts(this.port);
      return true;
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    this.#directory.remove();
  }
}

/** Resolves if somebody listens there. */
async function accepts(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

/** A certificate that its own key has signed, and the key, as HAProxy wants them. */
function aCertificate(): string {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const bytes = selfSigned({
    name: "alice",
    publicKey,
    sign: (body) => sign(null, body, privateKey),
  });
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [
    "-----BEGIN CERTIFICATE-----",
    ...lines,
    "-----END CERTIFICATE-----",
    privateKey.export({ type: "pkcs8", format: "pem" }),
  ].join("\n");
}
