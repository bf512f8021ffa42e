import { once } from "node:events";
import { createServer } from "node:net";

const PORT = /(?<![\w.-])8[56]\d\d(?![\w-])/g;
const ATTEMPTS = 100;

/**
 * Moves the ports of texts to free ones, all by the same distance: a WebSocket is next to its HTTP. Pages name the usual ports,
 * which something else may have on the machine where they are tested.
 */
export async function movePorts(
  texts: readonly string[],
): Promise<readonly string[]> {
  return texts.map(await portMover(texts));
}

/** Moves ports in any text as far as those that these texts name have to move. */
export async function portMover(
  texts: readonly string[],
): Promise<(text: string) => string> {
  const named = texts.flatMap((text) => text.match(PORT) ?? []).map(Number);
  const used = [...new Set(named.flatMap((port) => [port, port + 1]))];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const distance = 1_000 + 200 * Math.floor(Math.random() * 100);
    const places = await Promise.all(
      used.map(async (port) => await isFree(port + distance)),
    );
    if (!places.every(Boolean)) continue;
    return (text) =>
      text.replace(PORT, (port) => String(Number(port) + distance));
  }
  throw new Error("No ports are free.");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
