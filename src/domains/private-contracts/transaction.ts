import { parseHex, toBytes } from "../../ledger/index.ts";
import type {
  Assembly,
  DomainGroup,
  DomainIntent,
  PublicCall,
} from "../domain.ts";
import { genesisIdOf } from "../genesis.ts";
import { bounds } from "./bounds.ts";
import { accounts, partState } from "./directory.ts";
import { effectOf } from "./effect.ts";
import type { Pace } from "./evm/pace.ts";
import type { Log } from "./execution.ts";
import { privateAddressOf } from "./identity.ts";
import { infoState } from "./info.ts";
import { readOptions } from "./options.ts";
import { readPayload } from "./payload.ts";
import { perform } from "./perform.ts";
import { publicCallsOf } from "./public-calls.ts";
import { type Lookup, Reader, TooManyStates } from "./reader.ts";
import { hashOf } from "./values.ts";

/** The payload with which a group begins. */
export const GENESIS = "genesis";

export interface TransactionPorts {
  readonly lookup: Lookup;
  readonly pace: Pace;
}

/**
 * What an intent comes to, given the states that a lookup finds. Its sender asks for it, and every endorser asks again: if
 * they do not come to the same, the step is refused. Throws `StateMissing` if a state is not there that has to be.
 */
export async function transact(
  intent: DomainIntent,
  ports: TransactionPorts,
): Promise<Assembly> {
  try {
    return await assemble(intent, ports);
  } catch (error) {
    if (error instanceof TooManyStates) return reverted(error.message);
    throw error;
  }
}

async function assemble(
  intent: DomainIntent,
  { lookup, pace }: TransactionPorts,
): Promise<Assembly> {
  const { group, id, sender: node, payload } = intent;
  if (payload === GENESIS || id === genesisIdOf(group)) return begin(intent);
  const wanted = readPayload(payload);
  if (wanted === undefined)
    return reverted("The intent makes no sense to private contracts.");
  const reader = new Reader(lookup);
  const from = privateAddressOf(group, { name: wanted.from, node });
  const nonce = reader.account(from)?.value.nonce ?? 0n;
  const chance = toBytes(hashOf(toBytes(parseHex(id))));
  const ports = { reader, pace };
  const done = await perform(wanted, { group, node, chance }, ports);
  if (done.type === "failed") return reverted(done.reason);
  const calls = callsOf(group, done.logs);
  if (calls === undefined)
    return reverted("An ExternalCall event must have an address and bytes.");
  const { gasLimit: gas } = readOptions(group);
  return bounded({
    type: "assembled",
    ...effectOf(done.changes, reader),
    infos: [infoState({ ...wanted, ...done, from, nonce, gas })],
    calls,
  });
}

/** The first state: a directory without names. The ledger fulfils an intent once, so there is no second one. */
function begin({ group, id, payload }: DomainIntent): Assembly {
  if (payload !== GENESIS || id !== genesisIdOf(group))
    return reverted("A group begins once, with an intent of its own.");
  return {
    type: "assembled",
    inputs: [],
    reads: [],
    outputs: [partState({ directory: accounts, prefix: "", names: new Set() })],
    infos: [],
    calls: [],
  };
}

function callsOf(
  group: DomainGroup,
  logs: readonly Log[],
): PublicCall[] | undefined {
  return readOptions(group).externalCalls ? publicCallsOf(logs) : [];
}

/** What nodes cannot tell each other, or the ledger, cannot be done. */
function bounded(
  assembly: Extract<Assembly, { readonly type: "assembled" }>,
): Assembly {
  const { inputs, reads, outputs, infos = [], calls = [] } = assembly;
  const states = Math.max(inputs.length, reads.length, outputs.length);
  if (states > bounds.states)
    return reverted(
      `It uses ${states} states (accounts, code, pages of storage), and ${bounds.states} is the most. Do less at a time.`,
    );
  if (JSON.stringify(infos).length > bounds.dataLength)
    return reverted(
      `Its input and its events do not fit into ${bounds.dataLength} characters. Emit less at a time.`,
    );
  if (
    calls.length > bounds.calls ||
    calls.some(({ data }) => data.length > bounds.callLength)
  )
    return reverted(
      `It asks for more than ${bounds.calls} public calls, or for one with more than ${bounds.callLength / 2} bytes. Call less at a time.`,
    );
  return assembly;
}

function reverted(reason: string): Assembly {
  return { type: "reverted", reason };
}
