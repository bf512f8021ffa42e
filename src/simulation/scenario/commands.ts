import type { Tracer } from "../../protocol/machine.ts";
import type { Intent } from "../../protocol/transition.ts";
import { explain } from "../../protocol/sequencer.ts";
import { intentIdOf } from "../hashing.ts";
import type { Node } from "../node.ts";
import type { Selection } from "./links.ts";
import type { Point } from "./records.ts";
import {
  listOf,
  numberOf,
  readCommands,
  ScriptError,
  wordAt,
  type Command,
} from "./script.ts";
import { findContract, readGroup, type GroupConfig } from "./setup.ts";
import { ScriptedWorld, type BlockFate } from "./world.ts";

type Run = (world: ScriptedWorld, command: Command) => void;

const points: readonly Point[] = [
  "P0",
  "P1S",
  "P1C",
  "P2S",
  "P2C",
  "P3",
  "handover",
];

/** All that a script can say, after `nodes` and `coordinators`. */
const commands: Readonly<Record<string, Run>> = {
  /** `intent alice a-1 [dependsOn=…] [touches=…] [from=account] [pays=amount] [prepare]` */
  intent: submit,
  /** `resume alice a-1`: the domain is ready, and the user says so. */
  resume: (world, command) => {
    const id = world.idOf(wordAt(command, 1));
    world.domain.parked.delete(id);
    nodeAt(world, command).tell({ type: "IntentResumed", id });
  },
  /** `park a-1`: the domain is not ready for it. */
  park: (world, command) => {
    world.domain.parked.add(world.idOf(wordAt(command, 0)));
  },
  /** `execute a-1`: its user submits what was prepared for him; the next block has it. */
  execute: (world, command) => {
    const prepared = world.prepared.get(world.idOf(wordAt(command, 0)));
    if (prepared === undefined) throw new ScriptError("not prepared");
    world.chain.execute(prepared);
  },
  /** `block 8 [empty | reverted] [bob carol | unseen]`: the chain reaches this height, and these nodes, or all, see it. */
  block: (world, command) => {
    const height = numberOf(wordAt(command, 0));
    while (world.chain.height < height) world.mine(fateOf(command));
    for (const node of viewers(world, command, 1)) world.index(node, height);
  },
  /** `mine [empty | reverted] [bob carol | unseen]`: one block more. */
  mine: (world, command) => {
    world.mine(fateOf(command));
    for (const node of viewers(world, command, 0))
      world.index(node, world.chain.height);
  },
  /** `reorg 2 [empty | reverted] [bob carol | unseen]`: the last blocks are replaced by others, one more. */
  reorg: (world, command) => {
    world.reorganise(numberOf(wordAt(command, 0)), fateOf(command));
    for (const node of viewers(world, command, 1))
      world.index(node, world.chain.height);
  },
  /** `tick 10`: time passes, and everything arrives at once. */
  tick: (world, command) => {
    const count = numberOf(command.words[0] ?? "1");
    for (let i = 0; i < count; i++) world.tick();
  },
  /** `run [until DispatchPermission]`: everything arrives, up to the first such message. */
  run: (world, { words }) => {
    world.run(words[0] === "until" ? words[1] : undefined);
  },
  /** `hold bob->alice [Heartbeat]`: messages wait. */
  hold: (world, command) => {
    world.links.hold(selectionOf(command));
  },
  /** `deliver bob->alice [Heartbeat]`: those that waited arrive. */
  deliver: (world, command) => {
    const count = world.links.release(selectionOf(command));
    for (let i = 0; i < count; i++) world.deliverNext();
  },
  /** `drop bob->alice [Heartbeat] [times=1]`: messages are lost. */
  drop: (world, command) => {
    const times = command.options.get("times");
    world.links.drop(
      selectionOf(command),
      times === undefined ? Infinity : numberOf(times),
    );
  },
  /** `partition alice | bob carol` */
  partition: (world, { words }) => {
    const sides = words.join(" ").split("|");
    world.links.partition(sides.map((side) => side.trim().split(" ")));
  },
  /** `heal`: nothing is lost or held any more. */
  heal: (world) => {
    world.links.heal();
  },
  /** `crash bob [before | after P1C]`: now, or when it gets there. */
  crash: (world, command) => {
    const node = nodeAt(world, command);
    const [, when, point] = command.words;
    if (when === undefined) {
      node.crash();
      return;
    }
    const found = points.find((one) => one === point);
    if ((when !== "before" && when !== "after") || found === undefined)
      throw new ScriptError(`before or after ${points.join(", ")}`);
    world.crashes.add({ node: node.name, when, point: found });
  },
  restart: (world, command) => {
    nodeAt(world, command).start();
  },
  /** `refuse carol a-1`: this endorser finds it wrong. */
  refuse: (world, command) => {
    const { name } = nodeAt(world, command);
    world.domain.refused.add(`${name} ${world.idOf(wordAt(command, 1))}`);
  },
  /** `approve carol a-1`: it no longer does. */
  approve: (world, command) => {
    const { name } = nodeAt(world, command);
    world.domain.refused.delete(`${name} ${world.idOf(wordAt(command, 1))}`);
  },
  /** `mute carol`: this endorser does not answer. */
  mute: (world, command) => {
    world.domain.mute(nodeAt(world, command).name);
  },
  unmute: (world, command) => {
    world.unmute(nodeAt(world, command));
  },
  explain: (world, command) => {
    const { sequencer, name } = nodeAt(world, command);
    const id = world.idOf(wordAt(command, 1));
    const text = sequencer === undefined ? undefined : explain(sequencer, id);
    world.story.tell(name, world.story.names.inText(text ?? "It is not open."));
  },
  /** `show`: the machines of all nodes. */
  show: (world) => {
    for (const node of world.nodes)
      world.story.tell(node.name, shown(node, world));
  },
};

function nodeAt(world: ScriptedWorld, command: Command): Node {
  return world.node(wordAt(command, 0));
}

function submit(world: ScriptedWorld, command: Command): void {
  const node = nodeAt(world, command);
  const name = wordAt(command, 1);
  const known = world.intents.get(name);
  const amount = command.options.get("pays") ?? "1";
  const intent: Intent = {
    id: known?.id ?? intentIdOf(0, world.intents.size + 1),
    laneSalt: "",
    payload: `pay ${command.options.get("from") ?? "group"} ${node.name} ${amount}`,
    dependsOn: listOf(command, "dependsOn").map((other) => world.idOf(other)),
    touches: command.options.has("touches")
      ? listOf(command, "touches")
      : undefined,
    isPrepareOnly: command.words.includes("prepare"),
  };
  world.submit(name, node, intent);
}

function fateOf({ words }: Command): BlockFate {
  if (words.includes("empty")) return "empty";
  return words.includes("reverted") ? "reverted" : undefined;
}

function viewers(
  world: ScriptedWorld,
  { words }: Command,
  start: number,
): readonly Node[] {
  if (words.includes("unseen")) return [];
  const named = words
    .slice(start)
    .filter((word) => word !== "empty" && word !== "reverted");
  return named.length === 0
    ? world.nodes
    : named.map((name) => world.node(name));
}

function selectionOf(command: Command): Selection {
  const [from, to] = wordAt(command, 0).split("->");
  if (from === undefined || to === undefined)
    throw new ScriptError("one node -> another");
  return { from, to, type: command.words[1] };
}

function shown({ sequencer, height }: Node, { story }: ScriptedWorld): string {
  if (sequencer === undefined) return "down";
  const { sender, coordinator } = sequencer;
  const list = (
    transactions: Iterable<{ id: Intent["id"]; state: string }>,
  ): string =>
    [...transactions]
      .map(({ id, state }) => ` ${story.names.of(id)}=${state}`)
      .join("");
  return `block=${height} sender ${sender.state}${list(sender.transactions.values())}, coordinator ${coordinator.state}${list(coordinator.transactions.values())}`;
}

/** How every intent ended, or what it waits for. */
function tellEnds(world: ScriptedWorld): void {
  world.story.command("end");
  for (const [name, { id, node }] of world.intents) {
    const record = node.disk.records.get(`intent:${id}`);
    const receipt = record?.kind === "intent" ? record.receipt : undefined;
    const why =
      node.sequencer === undefined
        ? "its node is down"
        : (explain(node.sequencer, id) ?? "never accepted");
    world.story.tell(
      name,
      receipt?.type ?? `open: ${world.story.names.inText(why)}`,
    );
  }
}

/** Runs a script and returns its transcript. */
export function play(
  script: string,
  trace?: Tracer<{ readonly state: string }>,
): string {
  let group: GroupConfig | undefined;
  let world: ScriptedWorld | undefined;
  for (const command of readCommands(script)) {
    try {
      if (command.verb === "nodes") {
        group = readGroup(command);
        continue;
      }
      if (group === undefined) throw new ScriptError("first say which nodes");
      if (command.verb === "coordinators") {
        group = { ...group, contract: findContract(group, command) };
        continue;
      }
      const run = commands[command.verb];
      if (run === undefined) throw new ScriptError("no such command");
      world ??= new ScriptedWorld(group, trace);
      world.story.command(command.line);
      run(world, command);
    } catch (error) {
      const soFar = world === undefined ? "" : world.story.toString();
      const cause = error instanceof Error ? error.message : String(error);
      throw new Error(`"${command.line}": ${cause}\n${soFar}`, {
        cause: error,
      });
    }
  }
  if (world === undefined) throw new ScriptError("nothing happens");
  tellEnds(world);
  return world.story.toString();
}
