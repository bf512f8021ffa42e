import type { Client } from "pg";

import { loadDriver } from "./session.ts";

/** Where the URL of a database leads, as far as it is not secret. */
export interface Target {
  readonly host: string;
  /** The server is on this machine: nobody can listen. */
  readonly isLocal: boolean;
  /** The connection is encrypted, and the server has shown that it is the right one. */
  readonly isEncrypted: boolean;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/**
 * Reads the URL of a database as the driver does, with the variables of the environment that it knows. Undefined if it is not a URL of
 * PostgreSQL. Nothing that is thrown has the URL in it.
 */
export async function targetOf(url: string): Promise<Target | undefined> {
  const { Client } = await loadDriver();
  if (!/^(postgres|postgresql|socket):|^\//i.test(url)) return undefined;
  let client: Client;
  try {
    client = new Client({ connectionString: url });
  } catch {
    // Its message may have the URL with the password.
    return undefined;
  }
  const { host } = client;
  if (typeof host !== "string" || host === "") return undefined;
  return {
    host,
    isLocal: host.startsWith("/") || LOOPBACK.test(host),
    isEncrypted: isVerified(Reflect.get(client, "ssl")),
  };
}

/** Encryption without a look at the certificate, or at whose it is, keeps nobody out who can stand between. */
function isVerified(ssl: unknown): boolean {
  if (typeof ssl !== "object" || ssl === null) return ssl === true;
  return (
    Reflect.get(ssl, "rejectUnauthorized") !== false &&
    Reflect.get(ssl, "checkServerIdentity") === undefined
  );
}
