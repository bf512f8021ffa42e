import type { Server } from "node:http";

/** Gives the address that it listens on. */
export async function listen(
  server: Server,
  port: number,
  host: string,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  const bound =
    typeof address === "object" && address !== null ? address.port : port;
  return `${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

/** Resolves when the port is free and no connection is open. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
