import { DomainRefusal } from "../../domains/domain.ts";
import { NodeRefusal } from "../../node/service.ts";
import { QueryError } from "../../store/query.ts";
import { UserError } from "../errors.ts";
import { UnavailableError } from "./gate.ts";

/** The codes of JSON-RPC errors that this server gives. */
export const codes = {
  parse: -32_700,
  /** Also for unknown methods and bad parameters. */
  invalid: -32_600,
  internal: -32_603,
  unauthorized: -32_000,
  idempotencyClash: -32_001,
  /** The node does not answer now, for example because another replica of it is active. */
  unavailable: -32_002,
  /** A replica that is not the master asked whether it is. */
  notMaster: -32_003,
  /** An operator asked for something that would be wrong now. Nothing was changed. */
  refused: -32_004,
} as const;

/** A request that is wrong in itself. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** As it goes to the user. */
export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

/** Messages repeat what the user sent; nobody needs more of it than this. */
const messageLengthMax = 1_000;

/** What a user is told about an error; undefined if it is none of his business, and may hold what he must not see. */
export function explain(error: unknown): ErrorAnswer | undefined {
  const answer = answerTo(error);
  return answer === undefined || answer.message.length <= messageLengthMax
    ? answer
    : { ...answer, message: `${answer.message.slice(0, messageLengthMax)}…` };
}

function answerTo(error: unknown): ErrorAnswer | undefined {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message };
  if (error instanceof UnavailableError)
    return {
      code: codes.unavailable,
      message: `PD099020: ${error.message}`,
      ...(error.activeUrl !== undefined && { data: error.activeUrl }),
    };
  if (error instanceof UserError)
    return {
      code: error.key === "PD012220" ? codes.idempotencyClash : codes.internal,
      message: `${error.key}: ${error.message}`,
      ...(error.data !== undefined && { data: error.data }),
    };
  if (error instanceof QueryError)
    return { code: codes.internal, message: `PD010700: ${error.message}` };
  if (error instanceof DomainRefusal)
    return { code: codes.internal, message: `PD099001: ${error.message}` };
  if (error instanceof NodeRefusal)
    return { code: codes.internal, message: `PD099002: ${error.message}` };
  return undefined;
}

/** What a user is told when it is the node's fault. */
export const internalError: ErrorAnswer = {
  code: codes.internal,
  message: "PD099000: Internal error; the node's log says more",
};
