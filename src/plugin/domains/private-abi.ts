import type { InterfaceAbi } from "ethers";

// What TypeScript knows of a contract whose ABI it knows: artifacts that Hardhat has built (`ArtifactMap`), and ABIs `as const`.
// Of any other ABI it knows nothing, and takes whatever is given.

/** An ABI of which nothing is known. Contracts of every ABI can be used where it is asked for. */
// oxlint-disable-next-line typescript/no-explicit-any -- only this is assignable from every ABI, in both directions
export type AnyAbi = any;

/** Names of functions: as they are if that is clear, with their types in any case. */
export type FunctionName<Abi extends InterfaceAbi> =
  IsKnown<Abi> extends true ? NameOf<FunctionsOf<Abi>> : string;

/** Names of events, in the same way. */
export type EventName<Abi extends InterfaceAbi> =
  IsKnown<Abi> extends true ? NameOf<EventsOf<Abi>> : string;

/** Names of custom errors. */
export type ErrorName<Abi extends InterfaceAbi> =
  IsKnown<Abi> extends true ? ErrorsOf<Abi>["name"] : string;

/** The list of arguments of a function, which may be left out if it has none. */
export type FunctionArgs<
  Abi extends InterfaceAbi,
  Name extends FunctionName<Abi>,
> =
  ListOf<Abi, EntryNamed<FunctionsOf<Abi>, Name>> extends infer List extends
    ArgumentList
    ? List
    : never;

/** The same for the constructor. */
export type ConstructorArgs<Abi extends InterfaceAbi> =
  ListOf<
    Abi,
    IfNever<
      Extract<EntriesOf<Abi>, { readonly type: "constructor" }>,
      { readonly inputs: readonly [] }
    >
  > extends infer List extends ArgumentList
    ? List
    : never;

/** What a function returns: its output, or all of them if there are several. */
export type FunctionResult<
  Abi extends InterfaceAbi,
  Name extends FunctionName<Abi>,
> =
  IsKnown<Abi> extends true
    ? EntryNamed<FunctionsOf<Abi>, Name> extends {
        readonly outputs: infer Outputs extends readonly AbiParameter[];
      }
      ? Outputs extends readonly [infer Only extends AbiParameter]
        ? Output<Only>
        : OutputsOf<Outputs>
      : unknown
    : unknown;

/** The name of an event with its arguments; undefined for events that the ABI does not have. */
export type NamedArgs<Abi extends InterfaceAbi> =
  IsKnown<Abi> extends true
    ? | NamedArgsOf<EventsOf<Abi>>
      | {
          readonly name: undefined;
          readonly args: Readonly<Record<string, never>>;
        }
    : {
        readonly name: string | undefined;
        readonly args: Readonly<Record<string, unknown>>;
      };

/** A text, bytes or a list that is indexed: only its hash is on record. */
export interface IndexedHash {
  readonly hash: string | null;
}

interface AbiParameter {
  readonly name?: string;
  readonly type: string;
  readonly indexed?: boolean;
  readonly components?: readonly AbiParameter[];
}

interface AbiEntry {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

/** An ABI is known if TypeScript has all its entries, as objects. */
type IsKnown<Abi> = Abi extends readonly unknown[]
  ? number extends Abi["length"]
    ? false
    : Abi[number] extends { readonly type: string }
      ? true
      : false
  : false;

type EntriesOf<Abi> = Abi extends readonly unknown[]
  ? Extract<Abi[number], { readonly type: string }>
  : never;

type FunctionsOf<Abi> = Extract<
  EntriesOf<Abi>,
  AbiEntry & { readonly type: "function" }
>;

type ErrorsOf<Abi> = Extract<
  EntriesOf<Abi>,
  AbiEntry & { readonly type: "error" }
>;

type EventsOf<Abi> = Extract<
  EntriesOf<Abi>,
  AbiEntry & { readonly type: "event" }
>;

/** The name, unless others have it too; and the signature. */
type NameOf<
  All extends AbiEntry,
  One extends AbiEntry = All,
> = One extends AbiEntry
  ? | (IsUnion<Extract<All, { readonly name: One["name"] }>> extends true
        ? never
        : One["name"])
    | SignatureOf<One>
  : never;

type EntryNamed<All extends AbiEntry, Name> = All extends AbiEntry
  ? Name extends All["name"] | SignatureOf<All>
    ? All
    : never
  : never;

type SignatureOf<One extends AbiEntry> =
  `${One["name"]}(${TypesOf<One["inputs"]>})`;

type TypesOf<Params extends readonly AbiParameter[]> = Params extends readonly [
  infer First extends AbiParameter,
  ...infer Rest extends readonly AbiParameter[],
]
  ? Rest extends readonly []
    ? TypeOf<First>
    : `${TypeOf<First>},${TypesOf<Rest>}`
  : "";

type TypeOf<Param extends AbiParameter> = Param extends {
  readonly type: `tuple${infer Suffix}`;
  readonly components: infer Components extends readonly AbiParameter[];
}
  ? `(${TypesOf<Components>})${Suffix}`
  : Param["type"];

/** A list that may be left out. */
type ArgumentList = [args?: readonly unknown[]];

type ListOf<Abi, Entry> =
  IsKnown<Abi> extends true
    ? Entry extends { readonly inputs: infer Inputs }
      ? Inputs extends readonly []
        ? [args?: readonly []]
        : Inputs extends readonly AbiParameter[]
          ? [args: InputsOf<Inputs>]
          : never
      : never
    : [args?: readonly unknown[]];

type InputsOf<Params extends readonly AbiParameter[]> = {
  readonly [Index in keyof Params]: Input<Params[Index]>;
};

/** A value that a user gives. */
type Input<Param extends AbiParameter> = Param extends {
  readonly type: `${infer Item}[${string}]${infer Outer}`;
}
  ? readonly Input<ItemOf<Param, `${Item}${Outer}`>>[]
  : Param extends {
        readonly type: "tuple";
        readonly components: infer Components extends readonly AbiParameter[];
      }
    ? | InputsOf<Components>
      | { readonly [One in Components[number] as KeyOf<One>]: Input<One> }
    : Param["type"] extends `${"u" | ""}int${string}`
      ? bigint | number
      : Param["type"] extends `bytes${string}`
        ? string | Uint8Array
        : Word<Param["type"]>;

type OutputsOf<Params extends readonly AbiParameter[]> = {
  readonly [Index in keyof Params]: Output<Params[Index]>;
} & { readonly [One in Params[number] as KeyOf<One>]: Output<One> };

/** A value that a contract gives. */
type Output<Param extends AbiParameter> = Param extends {
  readonly type: `${infer Item}[${string}]${infer Outer}`;
}
  ? readonly Output<ItemOf<Param, `${Item}${Outer}`>>[]
  : Param extends {
        readonly type: "tuple";
        readonly components: infer Components extends readonly AbiParameter[];
      }
    ? OutputsOf<Components>
    : Param["type"] extends `${"u" | ""}int${string}`
      ? bigint
      : Word<Param["type"]>;

type Word<Type> = Type extends "bool" ? boolean : string;

/** The same parameter with one pair of brackets less. */
type ItemOf<Param extends AbiParameter, Type extends string> = Param extends {
  readonly components: infer Components extends readonly AbiParameter[];
}
  ? { readonly type: Type; readonly components: Components }
  : { readonly type: Type };

/** Parameters without a name have a place only. */
type KeyOf<Param extends AbiParameter> = Param extends {
  readonly name: infer Name extends string;
}
  ? Name extends ""
    ? never
    : Name
  : never;

type NamedArgsOf<One extends AbiEntry> = One extends AbiEntry
  ? { readonly name: One["name"]; readonly args: EventArgs<One["inputs"]> }
  : never;

/** By name; those without one by position. */
type EventArgs<Params extends readonly AbiParameter[]> = {
  readonly [
    Index in keyof Params & `${number}` as Params[Index] extends AbiParameter
      ? IfNever<KeyOf<Params[Index]>, Index>
      : never
  ]: Params[Index] extends AbiParameter ? EventValue<Params[Index]> : never;
};

type EventValue<Param extends AbiParameter> = Param extends {
  readonly indexed: true;
  readonly type: "string" | "bytes" | `tuple${string}` | `${string}[${string}`;
}
  ? IndexedHash
  : Output<Param>;

type IfNever<Value, Otherwise> = [Value] extends [never] ? Otherwise : Value;

type IsUnion<All, One = All> = One extends All
  ? [All] extends [One]
    ? false
    : true
  : never;
