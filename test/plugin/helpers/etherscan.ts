import { createRequire } from "node:module";

import { JsonServer } from "./http.ts";

interface Solc {
  version(): string;
  compile(input: string): string;
}

interface CompilerOutput {
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        readonly evm: {
          readonly deployedBytecode: {
            readonly object: string;
            readonly immutableReferences: Record<
              string,
              { readonly start: number; readonly length: number }[]
            >;
          };
        };
      }
    >
  >;
}

interface StandardInput {
  readonly settings: Record<string, unknown>;
}

const solc = createRequire(import.meta.url)("solc") as Solc;
const outputs = new Map<string, CompilerOutput>();

/**
 * An Etherscan that does the work: it compiles what it is sent and compares the result with the code on the chain. As
 * the real one, it does not know fresh contracts at first, and lets callers wait.
 */
export class FakeEtherscan {
  readonly verified = new Map<string, string>();
  readonly submitted: string[] = [];
  readonly #codeAt: (address: string) => Promise<string>;
  readonly #server: JsonServer;
  readonly #pending = new Map<string, string>();
  readonly #seen = new Set<string>();

  constructor(codeAt: (address: string) => Promise<string>) {
    this.#codeAt = codeAt;
    this.#server = new JsonServer(
      async ({ url, body }) =>
        await this.#answer(url.searchParams, new URLSearchParams(body)),
    );
  }

  async start(): Promise<string> {
    return await this.#server.start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  async #answer(
    query: URLSearchParams,
    form: URLSearchParams,
  ): Promise<unknown> {
    if (query.get("apikey") !== "test-key") return refuse("Invalid API Key");
    switch (query.get("action") ?? "") {
      case "getsourcecode": {
        const name = this.verified.get(query.get("address") ?? "") ?? "";
        return accept([{ SourceCode: name }]);
      }
      case "verifysourcecode":
        return await this.#submit(form);
      case "checkverifystatus":
        return this.#status(query.get("guid") ?? "");
      default:
        return refuse("Unknown action");
    }
  }

  async #submit(form: URLSearchParams): Promise<unknown> {
    const address = form.get("contractaddress") ?? "";
    if (!this.#seen.has(address)) {
      this.#seen.add(address);
      return refuse(`Unable to locate ContractCode at ${address}`);
    }
    const name = form.get("contractname") ?? "";
    this.submitted.push(name);
    const isSame =
      form.get("compilerversion") === compilerVersion() &&
      form.get("constructorArguments") === "" &&
      matches(
        await this.#codeAt(address),
        compile(form.get("sourceCode") ?? ""),
        name,
      );
    if (isSame) this.verified.set(address, name);
    const guid = `guid-${this.submitted.length}`;
    this.#pending.set(
      guid,
      isSame ? "Pass - Verified" : "Fail - Unable to verify",
    );
    return accept(guid);
  }

  #status(guid: string): unknown {
    const isFirst = !this.#seen.has(guid);
    this.#seen.add(guid);
    if (isFirst) return refuse("Pending in queue");
    const result = this.#pending.get(guid) ?? "Unknown UID";
    return result.startsWith("Pass") ? accept(result) : refuse(result);
  }
}

function accept(result: unknown): unknown {
  return { status: "1", message: "OK", result };
}

function refuse(result: string): unknown {
  return { status: "0", message: "NOTOK", result };
}

function compilerVersion(): string {
  return `v${solc.version().replace(".Emscripten.clang", "")}`;
}

/** Compiles with the settings that were sent. It takes seconds, so the same input is compiled once. */
function compile(sourceCode: string): CompilerOutput {
  const known = outputs.get(sourceCode);
  if (known !== undefined) return known;
  const input = JSON.parse(sourceCode) as StandardInput;
  const outputSelection = { "*": { "*": ["evm.deployedBytecode"] } };
  const settings = { ...input.settings, outputSelection };
  const output = JSON.parse(
    solc.compile(JSON.stringify({ ...input, settings })),
  ) as CompilerOutput;
  outputs.set(sourceCode, output);
  return output;
}

/** Whether code is what the compiler made, apart from immutable values. */
function matches(code: string, output: CompilerOutput, name: string): boolean {
  const [source = "", contract = ""] = name.split(":");
  const compiled = output.contracts[source]?.[contract]?.evm.deployedBytecode;
  if (compiled === undefined) return false;
  const places = Object.values(compiled.immutableReferences).flat();
  const blank = (hex: string): string =>
    places.reduce(
      (text, { start, length }) =>
        text.slice(0, 2 * start) +
        "0".repeat(2 * length) +
        text.slice(2 * (start + length)),
      hex,
    );
  return blank(code.slice(2)) === blank(compiled.object);
}
