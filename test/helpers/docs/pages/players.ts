import { type Stage, Story } from "../../../../scripts/story/run.ts";
import { type Step, stepsOf } from "../../../../scripts/story/script.ts";
import { root } from "../blocks.ts";
import { type PagesProject, sepoliaChainId } from "./project.ts";

/** Commands that ask the node at the usual port, or that take it, if nothing else is said. */
const ASKS =
  /^(npx hardhat sequencer:(?:submit|call|status|receipt|explain|drain|group (?:create|import|list|show)))(?!.*--url)/;
const SERVES =
  /((?:^|&& )npx hardhat sequencer:(?:run|node)\b)(?!.*--rpc-port)/;
const HAS_STATUS_PORT = /^npx hardhat sequencer:node\b(?!.*--status-port)/;

const CHAIN = `npx hardhat node --port 8545 --chain-id ${sepoliaChainId}`;
const DEPLOY = "npx hardhat sequencer:deploy --network sepolia";
const nodeOf = (name: string, port: number): string =>
  `npx hardhat sequencer:node --name ${name} --data-dir nodes --network sepolia --rpc-port ${port} --status-port ${port + 2}`;

/** What answers at the usual port while a page is played. */
export type Server = "four nodes" | "alice";

const servers: Readonly<Record<Server, string>> = {
  "four nodes": "npx hardhat sequencer:run",
  alice: nodeOf("alice", 8550),
};

function step(...commands: readonly string[]): Step {
  return { commands, output: [], exitCode: 0, interrupted: undefined };
}

/** Runs the commands of pages: those for contributors in the repository, all others in a project with a chain and nodes. */
export class Players {
  readonly #project: PagesProject;
  readonly #moved: (text: string) => string;
  readonly #stage: Stage;
  readonly #world: Story;
  #server: { readonly name: Server; readonly story: Story } | undefined;

  constructor(project: PagesProject, moved: (text: string) => string) {
    this.#project = project;
    this.#moved = moved;
    this.#stage = {
      cwd: project.path,
      env: project.environment(),
      adapt: (command) => this.#adapted(command),
    };
    this.#world = new Story(this.#stage);
  }

  /** Starts the chain with the ledger, and the nodes of the other organisations. */
  async start(): Promise<void> {
    await this.#world.play({
      ...step(CHAIN),
      output: ["Started HTTP and WebSocket JSON-RPC server at …"],
    });
    await this.#world.play(step(DEPLOY));
    await this.#world.play({
      ...step(nodeOf("bob", 8560), nodeOf("carol", 8570)),
      output: ["Ready. Ctrl-C stops."],
    });
  }

  /** Plays the commands of a page, in their order. They end with the page. */
  async play(page: string, text: string, server?: Server): Promise<void> {
    await this.#serve(server);
    const story = new Story(this.#stage);
    try {
      for (const step of stepsOf(page, this.#moved(text)))
        await story.play(step);
    } finally {
      await story.end();
    }
  }

  /** Plays the commands of a page for contributors. */
  async playHere(page: string, text: string): Promise<void> {
    const story = new Story({ cwd: root, env: this.#project.environment() });
    try {
      for (const step of stepsOf(page, text)) await story.play(step);
    } finally {
      await story.end();
    }
  }

  async stop(): Promise<void> {
    await this.#serve(undefined);
    await this.#world.end();
  }

  async #serve(name: Server | undefined): Promise<void> {
    if (this.#server?.name === name) return;
    await this.#server?.story.end();
    this.#server = undefined;
    if (name === undefined) return;
    const story = new Story(this.#stage);
    this.#server = { name, story };
    await story.play({
      ...step(servers[name]),
      output: ["Ready. Ctrl-C stops."],
    });
  }

  /** The usual ports are those of this machine. Nodes of a service have their data in its folder, and here in the project. */
  #adapted(command: string): string {
    return this.#moved(
      command
        .replace(ASKS, "$1 --url http://127.0.0.1:8550")
        .replace(SERVES, "$1 --rpc-port 8550")
        .replace(HAS_STATUS_PORT, "$& --status-port 8552")
        .replace("/var/lib/sequencer", "./nodes"),
    );
  }
}
