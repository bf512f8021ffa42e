import { type Line, type Piece, words } from "./line.ts";
import { groupStatusOf, progressOf, rateOf, type ViewState } from "./state.ts";
import { counted, digits, printable, seconds, table } from "./text.ts";

/** What a terminal can show. */
export interface ScreenOptions {
  readonly isAscii: boolean;
  /** Rows that the screen may take. */
  readonly rows: number;
}

const barWidth = 24;

/** The whole screen, as lines. */
export function screenOf(state: ViewState, options: ScreenOptions): Line[] {
  const head = [...titleLines(state), [], ...rangeLines(state, options)];
  const body = [[], ...nodeLines(state), [], ...intentLines(state)];
  const foot = [[], footLine(state)];
  const room = options.rows - head.length - body.length - foot.length - 1;
  const remarks = room > 0 ? state.remarks.slice(-room) : [];
  const middle = remarks.map((remark): Line => {
    const at = seconds(remark.atMs - state.startedMs).padStart(9);
    const text = printable(remark.text);
    return [
      { text: `${at}  `, style: "dim" },
      remark.isTrouble ? { text: `! ${text}`, style: "red" } : { text },
    ];
  });
  const lines = [...head, ...body];
  if (middle.length > 0) lines.push([], ...middle);
  return [...lines, ...foot];
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
function rangeLines(state: ViewState, { isAscii }: ScreenOptions): Line[] {
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
      { text: bar(done / size, isAscii), style: "cyan" },
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

function intentLines(state: ViewState): Line[] {
  const { open, assembling, endorsing, dispatched, parked, prepared } =
    progressOf(groupsOf(state));
  const counts: Piece[] = [
    { text: "intents  " },
    { text: `open ${digits(open)}  assembling ${digits(assembling)}` },
    { text: `  endorsing ${digits(endorsing)}` },
    { text: `  dispatched ${digits(dispatched)}  ` },
    { text: `confirmed ${digits(state.confirmed)}`, style: "green" },
  ];
  if (parked > 0) counts.push({ text: `  parked ${digits(parked)}` });
  if (prepared > 0) counts.push({ text: `  prepared ${digits(prepared)}` });
  if (state.reverted > 0)
    counts.push({ text: `  reverted ${digits(state.reverted)}`, style: "red" });
  const { workload, bundles } = state;
  const rate = digits(Math.round(rateOf(state)));
  const goal =
    workload === undefined ? "" : `, ${digits(workload.intents)} wanted`;
  return [
    counts,
    words(
      `         ${rate} per second${goal}, ${counted(bundles, "bundle")} dispatched`,
    ),
  ];
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
          text: `${elapsed}, stopping when nothing is open; Ctrl-C again leaves at once`,
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
export function bar(share: number, isAscii: boolean): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
  const [on, off] = isAscii ? ["#", "-"] : ["█", "░"];
  return on.repeat(full) + off.repeat(barWidth - full);
}
