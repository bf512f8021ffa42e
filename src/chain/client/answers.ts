import { revertDataOf } from "../../ledger/index.ts";
import { ChainError } from "../ports.ts";
import { withoutSecrets } from "./secrets.ts";

/** What a node answered. A field that is missing reads as undefined. */
export interface JsonRpcAnswer {
  readonly id: unknown;
  readonly method: unknown;
  readonly result: unknown;
  readonly error: unknown;
}

/** Parses JSON; undefined if it is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads an answer; undefined if it is not one. */
export function parseAnswer(text: string): JsonRpcAnswer | undefined {
  return readAnswer(parseJson(text));
}

/** The same of JSON that is parsed already. */
export function readAnswer(value: unknown): JsonRpcAnswer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, method, result, error } = value as Partial<JsonRpcAnswer>;
  return { id, method, result, error };
}

/** The result of an answer. Throws the error that the node answered with, or one for an answer that is none. */
export function resultOf(
  answer: JsonRpcAnswer | undefined,
  where: string,
): unknown {
  if (answer?.error !== undefined && answer.error !== null)
    throw refusalOf(answer.error);
  if (answer?.result === undefined)
    throw new ChainError("unreachable", `${where} answered with nonsense.`);
  return answer.result;
}

/** What a node said when it refused, without secrets. */
export function refusalOf(error: unknown): ChainError {
  const code = fieldOf(error, "code");
  const message = fieldOf(error, "message");
  const text = typeof message === "string" ? message : "It gave no reason.";
  return new ChainError("refused", withoutSecrets(text), {
    code: typeof code === "number" ? code : undefined,
    data: revertDataOf(error),
  });
}

/** For failures below JSON-RPC: nobody knows what became of the request. */
export function unreachable(
  where: string,
  why: unknown,
  details: { readonly isLate?: boolean } = {},
): ChainError {
  return new ChainError(
    "unreachable",
    `Cannot reach ${where}: ${withoutSecrets(textOf(why))}`,
    details,
  );
}

/** Of an error of the machine its code: where several addresses were tried, it has no message. Others may hide it in the cause. */
function textOf(why: unknown): string {
  if (!(why instanceof Error)) return String(why);
  const code = fieldOf(why, "code") ?? fieldOf(why.cause, "code");
  if (typeof code === "string") return code;
  return why.cause instanceof Error ? why.cause.message : why.message;
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Reflect.get(value, name) as unknown;
}
