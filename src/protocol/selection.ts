import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

import type { GroupAddress, NodeName } from "./ids.ts";

/** Those among whom a coordinator is selected. */
export interface Candidates {
  /** The committee, in any order. Duplicates count once. */
  readonly committee: readonly NodeName[];
  readonly contract: GroupAddress;
}

/** The committee in order of preference for a range, `floor(block / rangeSizeBlocks)`. */
export type Ranking = (range: number) => NodeName[];

/** Ranges for which one shuffle of the committee is used. Long enough to be even, short enough to spread. */
const cycleRanges = 64;

/** 2^32 divided by the golden ratio: multiples of it are spread as evenly as possible, however many there are. */
const goldenStep = 0x9e3779b1;

/**
 * Ranks a committee: the first live node coordinates, the next is its fallback.
 *
 * A pure function with the same answer on every node. First places are dealt out evenly: the committee is shuffled for
 * every 64 ranges, and a pointer walks over the shuffled circle in golden steps, so shares even out much faster than by
 * chance. The others follow by rendezvous hashing, so that the load of a node that is down falls on all others alike.
 */
export function rankingOf({ committee, contract }: Candidates): Ranking {
  const members = [...new Set(committee)].map((name) => ({
    name,
    hash: hash32(`${contract}|${name}`),
  }));
  const start = hash32(contract);
  // Ranges come one after the other: most ask for the cycle that the one before has shuffled.
  let shuffled:
    { readonly number: number; readonly cycle: HashedMember[] } | undefined;
  const cycleOf = (number: number): HashedMember[] => {
    if (shuffled?.number !== number) {
      const cycle = sortByHash(members, hash32(`${contract}|cycle|${number}`));
      shuffled = { number, cycle };
    }
    return shuffled.cycle;
  };
  return (range) => {
    const cycle = cycleOf(Math.floor(range / cycleRanges));
    const pointer = (Math.imul(range, goldenStep) + start) >>> 0;
    const first = cycle[Math.floor((cycle.length * pointer) / 2 ** 32)];
    const others = members.filter((member) => member !== first);
    const order = sortByHash(others, hash32(`${contract}|range|${range}`));
    return (first === undefined ? [] : [first, ...order]).map(
      ({ name }) => name,
    );
  };
}

/** The committee in order of preference for one range. */
export function rankCoordinators(
  candidates: Candidates & { readonly range: number },
): NodeName[] {
  return rankingOf(candidates)(candidates.range);
}

interface HashedMember {
  readonly name: NodeName;
  readonly hash: number;
}

function sortByHash(
  members: readonly HashedMember[],
  seed: number,
): HashedMember[] {
  return members
    .map((member) => ({ member, weight: mix(member.hash ^ seed) }))
    .sort(
      (a, b) => a.weight - b.weight || (a.member.name < b.member.name ? -1 : 1),
    )
    .map(({ member }) => member);
}

function hash32(text: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(text));
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** Spreads the bits of a word over the whole word (the finalizer of MurmurHash3). */
function mix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
