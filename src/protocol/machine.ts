/** Something that happened to a machine. */
export interface MachineEvent {
  readonly type: string;
}

/** An arrow: the first rule whose guard holds is taken. Guards and actions are named functions: they label diagrams. */
export interface Rule<State extends string, Model, Event, Turn> {
  readonly to: State;
  readonly when?: (model: Model, event: Event, turn: Turn) => boolean;
  readonly run?: readonly ((model: Model, event: Event, turn: Turn) => void)[];
}

/** Stands in a table for an event that must never happen in a state, whatever others do: a rule whose guard throws. */
export interface Impossible {
  readonly to: never;
  readonly when: (
    model: { readonly state: string },
    event: MachineEvent,
  ) => never;
  readonly why: string;
}

/** A pair of state and event that must never happen: if it does, the node is wrong, and must stop. */
export function impossible(why: string): readonly [Impossible] {
  const when = ({ state }: { readonly state: string }, event: MachineEvent) => {
    throw new Error(`${event.type} in state ${state}: ${why}`);
  };
  return [{ to: "impossible" as never, when, why }];
}

/**
 * A machine: for each state, for each event that matters in it, the rules. A pair that is missing is ignored, and one that is
 * impossible throws.
 */
export type Table<
  State extends string,
  Model,
  Event extends MachineEvent,
  Turn,
> = Readonly<
  Record<
    State,
    {
      readonly [Type in Event["type"]]?: readonly Rule<
        State,
        Model,
        Extract<Event, { readonly type: Type }>,
        Turn
      >[];
    }
  >
>;

/** Told of every step, with the rule of the table that was taken, or none when the event was ignored. */
export type Tracer<Model> = (
  model: Model,
  from: string,
  event: MachineEvent,
  rule: { readonly to: string } | undefined,
) => void;

/**
 * Gives an event to a machine: finds the rule, moves the model to its new state, then runs the actions, which see the
 * new state. Returns whether a rule was taken.
 */
export function step<
  State extends string,
  Model extends { state: State },
  Event extends MachineEvent,
  Turn,
>(
  table: Table<State, Model, Event, Turn>,
  model: Model,
  event: Event,
  turn: Turn & { readonly trace?: Tracer<Model> | undefined },
): boolean {
  const from = model.state;
  // The type of an event selects the rules for that type; the compiler cannot follow that correlation.
  const rules = table[from][event.type as Event["type"]] as
    readonly Rule<State, Model, Event, Turn>[] | undefined;
  const rule = rules && firstThatHolds(rules, model, event, turn);
  turn.trace?.(model, from, event, rule);
  if (rule === undefined) return false;
  model.state = rule.to;
  if (rule.run !== undefined)
    for (const action of rule.run) action(model, event, turn);
  return true;
}

// A loop, because a closure for every event of every transaction is a good part of all that the core allocates.
function firstThatHolds<State extends string, Model, Event, Turn>(
  rules: readonly Rule<State, Model, Event, Turn>[],
  model: Model,
  event: Event,
  turn: Turn,
): Rule<State, Model, Event, Turn> | undefined {
  for (const rule of rules)
    if (rule.when === undefined || rule.when(model, event, turn)) return rule;
  return undefined;
}
