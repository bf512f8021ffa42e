/**
 * Everything that can grow has a bound, and every bound is here, with the reason for its number.
 * Over a bound the answer is an explicit refusal, never a silent drop.
 */
export const limits = {
  /** Intents that one node keeps open for a group. Beyond that the user is told to wait. */
  openIntents: 200_000,
  /** Intents of one sender that a coordinator holds. One busy sender must not crowd out the others. */
  pooledPerSender: 50_000,
  /** Intents that a coordinator holds. About 1 kB each. */
  pooled: 200_000,
  /** Transactions between assembly and confirmation: what a falling one may drag along. */
  speculative: 512,
  /** Places of states that a coordinator remembers at least: of all that is speculative, unless steps are very large. Who needs one that is forgotten assembles again. */
  places: 4_096,
  /** Characters of the states that those create and nobody has spent. They go with every request for assembly. */
  speculativeLength: 1_048_576,
  /** Requests for assembly at the same time. More would only guess further ahead. */
  assembling: 8,
  /** The longest pause of a sender that does not answer, in times that an answer may take: it holds others up for a ninth of the time at most. */
  pause: 8,
  /** The longest time for which something is parked on another member's word, in times that an answer may take: long enough that it costs little to ask again. */
  doubt: 64,
  /** Time in which a coordinator gets a transaction a step further, in times that an answer may take: it may have to wait for some senders that do not answer, and for a predecessor. */
  patience: 8,
  /** The longest time for which a node is passed over on somebody's word, in times that patience lasts. */
  suspicion: 16,
  /** Intents that one sender assembles for one request: as many as a bundle takes, so that one way there and back fills it. */
  assembly: 100,
  /** Characters of the steps in one answer to that, if there is more than one: a quarter of a message. */
  assemblyLength: 1_048_576,
  /** Times that a coordinator tries a transaction that endorsers refuse before it gives it back. */
  refusals: 3,
  /** Errors of a domain for which an intent has retries, if nothing else goes wrong: they seldom pass, and after a third of a minute its user knows. */
  errors: 4,
  /** Coordinators whose requests for endorsement wait for a block, and requests for permission that do. */
  deferred: 16,
  /** Transactions in one bundle: fits a block with room to spare. */
  bundle: 100,
  /** Characters of their steps, if there is more than one: a quarter of a message. What they use is in it too. */
  bundleLength: 1_048_576,
  /** States that they read and replace or create, if there is more than one: with as many signatures as there may be, all of that fits the gas of one transaction (EIP-7825). */
  bundleStates: 512,
  /** Bundles between endorsement and dispatch: one gathers endorsements while one asks for permission. */
  bundles: 2,
  /** Bundles that are endorsed for users, who submit them themselves. They wait for nothing but endorsements. */
  preparations: 8,
  /** Endorsements of one bundle: the contract knows signers as the bits of one word. */
  endorsements: 256,
  /** Intents that a sender has with a coordinator at a time. More than a coordinator has in flight, so that it never waits; few enough that a heartbeat lists them all, and that little comes back when the role moves. */
  delegated: 1_000,
  /** Earlier bundles that a sender remembers to have permitted for one intent: several times as many as it usually retries. */
  permitted: 64,
  /** Intents in one delegation: keeps a message below a megabyte, if payloads are short. */
  delegation: 250,
  /** Characters of their payloads, if there is more than one. */
  delegationLength: 1_048_576,
  /** Transactions that one heartbeat lists. A longer list is marked as incomplete. */
  heartbeat: 1_000,
  /** Explicit dependencies of one intent. */
  dependsOn: 64,
  /** States that one step spends, reads, creates. */
  states: 256,
  /** What one step tells besides its states. */
  infos: 8,
  /** Calls that the ledger makes after one step, and the hexadecimal digits of each: they fit the ledger's calldata. */
  calls: 16,
  callDigits: 16_384,
  /** Digits and gas of all of them together: with as many states and signatures as there may be, the step still fits the calldata and the gas of one transaction. */
  callsDigits: 131_072,
  callsGas: 6_000_000,
  /** Bytes of one state's content, and of an intent's payload. */
  contentBytes: 65_536,
  /** Bytes of one step as it is written. A message may carry it alone in a bundle, and what is in flight with another such step. */
  stepBytes: 1_572_864,
  /** Bytes of a message on the wire. */
  messageBytes: 4_194_304,
  /** Bytes of a reason that one node tells another. */
  reasonBytes: 1_024,
  /** Steps that an endorser shows to one member within a tick: each may mean to read a large bundle. Who needs more asks again. */
  shown: 4,
  /** Bundles of one coordinator that an endorser signed and that can still happen. None is forgotten, so nothing more is signed: many times as many as are on their way, with room for what users had prepared and have not submitted. */
  signed: 4_096,
  /** Characters of them, if there is more than one: as many as in some dozens of the largest ones. They are on the disk of every endorser. */
  signedLength: 67_108_864,
  /** Bundles of one coordinator that an endorser checks at a time: more than it has on its way, or has waiting for a block, also if they are small by choice. */
  checking: 256,
  /** Intents that ended which a node remembers at least, to answer late messages: twice as many as a sender has with a coordinator. The ledger remembers the rest. */
  ended: 2_000,
  /** Ranges whose order of coordinators a node remembers at least: its own, the next one, and those of peers that are behind. */
  ranges: 4,
  /** Blocks that a predecessor may be ahead: of a node that is further behind, others are sooner at work. */
  behindBlocks: 128,
  /** Blocks a peer may claim to be ahead. A claim beyond that is nonsense and counts as no claim. */
  aheadBlocks: 1_000_000,
} as const;
