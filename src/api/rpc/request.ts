import { codes, RpcError } from "./errors.ts";

/** One request that has the form of one. Whether there is such a method is another question. */
export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What is answered with. */
export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: unknown; readonly result: unknown }
  | {
      readonly jsonrpc: "2.0";
      readonly id: unknown;
      readonly error: { readonly code: number; readonly message: string };
    };

/** Throws an {@link RpcError} if the value is no request. */
export function parseRequest(value: unknown): RpcRequest {
  if (!isObject(value)) throw invalid("PD020700: A request is an object");
  if (!Object.hasOwn(value, "id"))
    throw invalid("PD020701: A request must have an id");
  const { jsonrpc, id, method, params = [] } = value;
  if (jsonrpc !== "2.0")
    throw invalid('PD020700: A request must have jsonrpc: "2.0"');
  if (typeof method !== "string")
    throw invalid("PD020700: A request must have a method");
  if (!Array.isArray(params))
    throw invalid("PD020700: Parameters are given by position, in an array");
  return { id, method, params };
}

/** The id to answer with, also to a request that is none. */
export function idOf(value: unknown): unknown {
  return isObject(value) && Object.hasOwn(value, "id") ? value["id"] : null;
}

/** The method that is asked for, or nothing, also in a request that is none. */
export function methodOf(value: unknown): string {
  const method = isObject(value) ? value["method"] : undefined;
  return typeof method === "string" ? method : "";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(message: string): RpcError {
  return new RpcError(codes.invalid, message);
}
