import { join } from "node:path";

import { encodeBody, type Body } from "../../src/node/body.ts";
import { loadIdentity } from "../../src/keys/identity-file.ts";
import type { Hub } from "../../src/network/in-process.ts";
import type { NetworkId } from "../../src/network/network-id.ts";
import { nodeName } from "./stores.ts";

/** Later than every start of the node itself. */
const BOOT = 2 ** 40;

/** Speaks for a node of a cluster that is down, with its real key. */
export function speakFor(
  name: string,
  options: {
    readonly hub: Hub;
    readonly network: NetworkId;
    readonly dataDir: string;
    readonly names: readonly string[];
  },
): {
  readonly say: (to: string, body: Body) => void;
  readonly stop: () => Promise<void>;
} {
  const { hub, network, dataDir, names } = options;
  const identities = new Map(
    names.map((other) => [
      nodeName(other),
      loadIdentity({ directory: join(dataDir, other) }),
    ]),
  );
  const identity = identities.get(nodeName(name));
  if (identity === undefined) throw new Error(`${name} has no key.`);
  const registry = new Map(
    [...identities].map(([other, { publicKey }]) => [other, publicKey]),
  );
  const transport = hub.join(
    { name: nodeName(name), network, boot: BOOT, identity, registry },
    () => undefined,
  );
  return {
    say: (to, body) => {
      transport.send(nodeName(to), encodeBody(body));
    },
    stop: async () => {
      await transport.stop();
    },
  };
}
