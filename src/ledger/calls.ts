import { keccak256Hex } from "./keccak.ts";
import {
  addressWord,
  boolWord,
  bytesContent,
  contentList,
  type Encoded,
  sequence,
  uintWord,
  word,
  wordList,
} from "./abi-writer.ts";
import type { CommitteeChange, GroupConfig } from "./committee.ts";
import type { Endorsements } from "./endorsements.ts";
import { type Bytes32, type Hex } from "./hex.ts";
import type { Address } from "./ids.ts";
import type { ExternalCall, Transition } from "./transition.ts";

const CALLS = "(address,bytes,uint64)[]";
const TRANSITION = `(uint64,bytes32[],bytes32[],bytes32[],bytes32[],bytes32,uint64,${CALLS})`;
const ENDORSEMENTS = "(uint256,(bytes32,bytes32)[])";
const GROUP_CONFIG = "(address[],uint8,bool)";

const EXECUTE = selectorOf(`execute(${TRANSITION},${ENDORSEMENTS})`);
const APPROVE = selectorOf(`approve(${TRANSITION},address,${ENDORSEMENTS})`);
const EXECUTE_APPROVED = selectorOf(`executeApproved(${TRANSITION})`);
const CHANGE_COMMITTEE = selectorOf(
  `changeCommittee((uint64,address[],uint8,uint64),${ENDORSEMENTS})`,
);
const CREATE_GROUP = selectorOf(`createGroup(${GROUP_CONFIG},bytes32)`);
const EXECUTE_ATOM = selectorOf(`execute(${CALLS},bytes32)`);

/** The call that carries out an endorsed transition. */
export function encodeExecute(
  transition: Transition,
  endorsements: Endorsements,
): Hex {
  return call(
    EXECUTE,
    encodeTransition(transition),
    encodeEndorsements(endorsements),
  );
}

/** The call that lets a delegate carry out a transition. */
export function encodeApprove(
  transition: Transition,
  delegate: Address,
  endorsements: Endorsements,
): Hex {
  return call(
    APPROVE,
    encodeTransition(transition),
    addressWord(delegate),
    encodeEndorsements(endorsements),
  );
}

/** The call by which a delegate carries out a transition. */
export function encodeExecuteApproved(transition: Transition): Hex {
  return call(EXECUTE_APPROVED, encodeTransition(transition));
}

/** The call that replaces the committee. */
export function encodeChangeCommittee(
  change: CommitteeChange,
  endorsements: Endorsements,
): Hex {
  const { epoch, members, threshold, validUntil } = change;
  const content = sequence(
    uintWord(epoch),
    wordList(members, addressWord),
    uintWord(threshold),
    uintWord(validUntil),
  );
  return call(CHANGE_COMMITTEE, { content }, encodeEndorsements(endorsements));
}

/** The call that creates a group, for the factory. */
export function encodeCreateGroup(config: GroupConfig, salt: Bytes32): Hex {
  const { members, threshold, externalCalls } = config;
  const content = sequence(
    wordList(members, addressWord),
    uintWord(threshold),
    boolWord(externalCalls),
  );
  return call(CREATE_GROUP, { content }, word(salt));
}

/** The call that makes several calls at once, for the atom factory. */
export function encodeExecuteAtom(
  calls: readonly ExternalCall[],
  salt: Bytes32,
): Hex {
  return call(EXECUTE_ATOM, contentList(calls, encodeExternalCall), word(salt));
}

function encodeTransition(transition: Transition): Encoded {
  return {
    content: sequence(
      uintWord(transition.epoch),
      wordList(transition.intents, word),
      wordList(transition.inputs, word),
      wordList(transition.reads, word),
      wordList(transition.outputs, word),
      word(transition.details),
      uintWord(transition.validUntil),
      contentList(transition.calls, encodeExternalCall),
    ),
  };
}

function encodeExternalCall({ target, data, gasMin }: ExternalCall): string {
  return sequence(addressWord(target), bytesContent(data), uintWord(gasMin));
}

function encodeEndorsements({ signers, signatures }: Endorsements): Encoded {
  return {
    content: sequence(
      uintWord(signers),
      wordList(signatures, ({ r, vs }) => word(r) + word(vs)),
    ),
  };
}

function call(selector: string, ...values: readonly Encoded[]): Hex {
  return (selector + sequence(...values)) as Hex;
}

function selectorOf(signature: string): string {
  return keccak256Hex(signature).slice(0, 10);
}
