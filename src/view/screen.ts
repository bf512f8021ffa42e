import { type Line, type Piece, words } from "./line.ts";
import {
  groupStatusOf,
  progressOf,
  rateOf,
  type Remark,
  type ViewState,
} from "./state.ts";
import { counted, digits, printable, seconds, table } from "./text.ts";

/** What a terminal can show. */
export interface ScreenOptions {
  readonly isAscii: boolean;
  /** Rows that the screen may take. */
  readonly rows: number;
  readonly columns: number;
}

/** Narrower screens have shorter bars. */
const columnsWide = 80;

/** The whole screen, as lines. The totals and how to stop are always there: nodes, remarks and gaps get the room that is left. */
export function screenOf(state: ViewState, options: ScreenOptions): Line[] {
  const title = titleLines(state);
  const range = rangeLines(state, options);
  const totals = intentLines(state, options);
  const foot = footLine(state);
  // The last row of a terminal stays free.
  let room = options.rows - 2 - title.length - range.length - totals.length;
  const remarksMin = Math.min(1, state.remarks.length, Math.max(0, room));
  const nodes = fitNodes(nodeLines(state), room - remarksMin);
  room -= nodes.length + remarksMin;
  /** An empty line, as long as there is room. */
  const gap = (): Line[] => (room-- > 0 ? [[]] : []);
  const [beforeTotals, beforeNodes, beforeRange, beforeFoot] = [
    gap(),
    nodes.length > 0 ? gap() : [],
    gap(),
    gap(),
  ];
  const beforeRemarks = remarksMin > 0 ? gap() : [];
  const remarks = state.remarks.slice(-(remarksMin + Math.max(0, room)));
  return [
    ...title,
    ...beforeRange,
    ...range,
    ...beforeNodes,
    ...nodes,
    ...beforeTotals,
    ...totals,
    ...(remarksMin === 0
      ? []
      : [
          ...beforeRemarks,
          ...remarks.map((remark) => remarkLine(state, remark)),
        ]),
    ...beforeFoot,
    foot,
  ];
}

function remarkLine({ startedMs }: ViewState, remark: Remark): Line {
  const at = seconds(remark.atMs - startedMs).padStart(9);
  const text = printable(remark.text);
  return [
    { text: `${at}  `, style: "dim" },
    remark.isTrouble ? { text: `! ${text}`, style: "red" } : { text },
  ];
}

/** The header, and as many nodes as there is room for. */
function fitNodes(lines: readonly Line[], room: number): readonly Line[] {
  if (lines.length <= room) return lines;
  // A header, one node, and how many more there are.
  if (room < 3) return [];
  const more = lines.length - (room - 1);
  return [
    ...lines.slice(0, room - 1),
    [{ text: `  and ${counted(more, "more node")}`, style: "dim" }],
  ];
}

function titleLines({ network, group }: ViewState): Line[] {
  if (network === undefined) return [words("Starting")];
  const chain = `  network "${network.network}", chain ${network.chainId}`;
  const title: Line = [{ text: "sequencer", style: "bold" }, { text: chain }];
  if (group === undefined) return [title, words("  joining a group")];
  const { threshold, members, policy, domain } = group;
  return [
    title,
    [
      { text: `  group ${group.group}`, style: "dim" },
      {
        text: `  ${domain}, ${threshold} of ${members.length} endorse, ${policy}`,
      },
    ],
  ];
}

/** How far the range is, who coordinates, and who is next in line. */
function rangeLines(
  state: ViewState,
  { isAscii, columns }: ScreenOptions,
): Line[] {
  const [first] = groupsOf(state);
  if (first === undefined) return [words(`block ${digits(state.height)}`)];
  const { range, rangeStart, rangeEnd } = first;
  const size = rangeEnd - rangeStart + 1;
  const done = Math.min(size, Math.max(0, state.height - rangeStart + 1));
  const coordinator = coordinatorOf(state);
  const next = first.ranking.find((name) => name !== coordinator);
  return [
    [
      { text: `block ${digits(state.height)}  range ${digits(range)} ` },
      {
        text: bar(done / size, {
          isAscii,
          width: columns < columnsWide ? 8 : 24,
        }),
        style: "cyan",
      },
      { text: ` ${done}/${size}  coordinator ` },
      { text: coordinator ?? "nobody", style: "bold" },
      { text: next === undefined ? "" : `, next ${next}` },
    ],
  ];
}

function nodeLines(state: ViewState): Line[] {
  const coordinator = coordinatorOf(state);
  const rows = state.statuses.map((status) => {
    const group = groupStatusOf(status, state.group?.group);
    const own = group === undefined ? 0 : progressOf([group]).open;
    return [
      `${status.name === coordinator ? "*" : " "} ${status.name}`,
      group?.sender ?? "-",
      group?.coordinator ?? "-",
      digits(status.height),
      digits(own),
      digits(group?.blocked.length ?? 0),
      state.urls.get(status.name) ?? "",
    ];
  });
  if (rows.length === 0) return [];
  const header = [
    "  node",
    "sender",
    "coordinator",
    "block",
    "open",
    "blocked",
    "",
  ];
  return table([header, ...rows], [3, 4, 5]).map((text, i): Line => {
    if (i === 0) return [{ text, style: "dim" }];
    return text.startsWith("*") ? [{ text, style: "bold" }] : [{ text }];
  });
}

function intentLines(state: ViewState, { columns }: ScreenOptions): Line[] {
  const { open, assembling, endorsing, dispatched, parked, prepared } =
    progressOf(groupsOf(state));
  const counts: Piece[] = [
    { text: `open ${digits(open)}` },
    { text: `assembling ${digits(assembling)}` },
    { text: `endorsing ${digits(endorsing)}` },
    { text: `dispatched ${digits(dispatched)}` },
    { text: `confirmed ${digits(state.confirmed)}`, style: "green" },
  ];
  if (parked > 0) counts.push({ text: `parked ${digits(parked)}` });
  if (prepared > 0) counts.push({ text: `prepared ${digits(prepared)}` });
  if (state.reverted > 0)
    counts.push({ text: `reverted ${digits(state.reverted)}`, style: "red" });
  const { workload, bundles } = state;
  const speed: Piece[] = [
    { text: `${digits(Math.round(rateOf(state)))} per second` },
    { text: `${counted(bundles, "bundle")} dispatched` },
  ];
  if (workload !== undefined)
    speed.splice(1, 0, { text: `${digits(workload.intents)} wanted` });
  const [first = [], ...more] = flow(counts, { separator: "  ", columns });
  return [first, ...more, ...flow(speed, { separator: ", ", columns })].map(
    (line, i) => [{ text: (i === 0 ? "intents" : "").padEnd(indent) }, ...line],
  );
}

/** What stands left of the totals. */
const indent = 9;

/** Puts pieces side by side, and on the next line when they do not fit any more. */
function flow(
  pieces: readonly Piece[],
  { separator, columns }: { separator: string; columns: number },
): Line[] {
  const lines: Piece[][] = [];
  let width = Infinity;
  for (const piece of pieces) {
    const wider = width + separator.length + piece.text.length;
    const line = lines.at(-1);
    if (line === undefined || wider > columns - 1 - indent) {
      lines.push([piece]);
      width = piece.text.length;
    } else {
      line.push({ text: separator }, piece);
      width = wider;
    }
  }
  return lines;
}

function footLine({ phase, nowMs, startedMs }: ViewState): Line {
  const elapsed = seconds(nowMs - startedMs);
  switch (phase) {
    case "starting":
      return [{ text: `starting, ${elapsed}`, style: "dim" }];
    case "running":
      return [{ text: `${elapsed}, Ctrl-C stops`, style: "dim" }];
    case "stopping":
      return [
        {
          text: `${elapsed}, waiting for open intents; Ctrl-C again leaves`,
          style: "yellow",
        },
      ];
    case "ended":
      return [{ text: elapsed, style: "dim" }];
  }
}

function groupsOf({
  statuses,
  group,
}: ViewState): NonNullable<ReturnType<typeof groupStatusOf>>[] {
  return statuses.flatMap(
    (status) => groupStatusOf(status, group?.group) ?? [],
  );
}

/** Who says so himself, or whom most are listening to. */
function coordinatorOf(state: ViewState): string | undefined {
  const groups = groupsOf(state);
  const own = state.statuses.find(
    (status) =>
      groupStatusOf(status, state.group?.group)?.coordinator === "Active",
  );
  return own?.name ?? groups.find(({ active }) => active !== undefined)?.active;
}

/** A bar that is filled from the left. */
export function bar(
  share: number,
  { isAscii, width }: { readonly isAscii: boolean; readonly width: number },
): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  const [on, off] = isAscii ? ["#", "-"] : ["█", "░"];
  return on.repeat(full) + off.repeat(width - full);
}
