import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who may talk to the server. */
export interface GuardOptions {
  /** The address that the server binds to. */
  readonly host: string;
  /** Every request must carry it: `Authorization: Bearer <token>`. */
  readonly token?: string | undefined;
  /** Names for this server besides those of the loopback interface and its own address. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web pages that may talk to the server, as in `https://wallet.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly reason: string;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Shorter ones can be guessed. */
export const TOKEN_LENGTH_MIN = 16;

/** Addresses that mean every interface. Nobody is reached under them, so no honest request names one as its host. */
const wildcards = ["", "0.0.0.0", "::", "[::]"];

/** Throws if the token can be guessed, or if there is none and others than this machine reach the server. */
export function requireSafe(
  server: "RPC server" | "monitoring server",
  { host, token }: Pick<GuardOptions, "host" | "token">,
): void {
  if (token !== undefined && token.length < TOKEN_LENGTH_MIN)
    throw new Error(
      `The token has ${token.length} characters. Use a random one of at least ${TOKEN_LENGTH_MIN}.`,
    );
  if (token === undefined && !isLoopback(host))
    throw new Error(
      `The ${server} cannot listen on "${host}" without a token: everybody who reaches it could use it. Configure a token, or listen on 127.0.0.1.`,
    );
}

/**
 * Looks at the headers of a request; gives a reason to refuse it. Answers that hold nothing private may be open to all but web pages:
 * load balancers have no token, and many send no `Host`, which every browser does.
 */
export function guard(
  options: GuardOptions,
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): (request: IncomingMessage) => Refusal | undefined {
  const { host, token, allowedHosts, allowedOrigins = [] } = options;
  const hosts = new Set(
    [...loopbackNames, ...ownNames(host), ...(allowedHosts ?? [])].map((name) =>
      name.toLowerCase(),
    ),
  );
  // A page that had its name pointed at this machine does not know the token, so any name will do for who does.
  const isAnyHost = token !== undefined && allowedHosts === undefined;
  const expected = token === undefined ? undefined : hash(`Bearer ${token}`);
  return ({ method, headers }) => {
    const name = hostNameOf(headers.host);
    const isNameless = isOpen && headers.host === undefined;
    if (!isAnyHost && !isNameless && (name === undefined || !hosts.has(name)))
      return { status: 403, reason: "This server has another name" };
    const { origin, authorization = "" } = headers;
    if (origin !== undefined && !allowedOrigins.includes(origin))
      return { status: 403, reason: "Web pages may not use this server" };
    // A browser asks without the token whether a page may send it, and gets nothing but the answer.
    if (
      !isOpen &&
      expected !== undefined &&
      method !== "OPTIONS" &&
      !timingSafeEqual(expected, hash(authorization))
    )
      return { status: 401, reason: "A token is needed" };
    return undefined;
  };
}

/** The name under which requests reach an address, if it is the address of one interface. */
function ownNames(host: string): readonly string[] {
  if (wildcards.includes(host)) return [];
  return [host.includes(":") && !host.startsWith("[") ? `[${host}]` : host];
}

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.[\d.]+$/.test(host);
}

/** Hashes have the same length, whatever was sent: a comparison tells nothing about the token. */
function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function hostNameOf(header: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^:/?#@\s]+)(:\d{1,5})?$/.exec(
    header?.toLowerCase() ?? "",
  )?.[1];
}
