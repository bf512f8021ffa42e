// The ABI of the contracts, in ethers' human-readable form. A test compares it with the compiled artifacts,
// entry by entry, so it cannot drift.

const EXTERNAL_CALL = "(address target, bytes data, uint64 gasMin)";
const TRANSITION = `(uint64 epoch, bytes32[] intents, bytes32[] inputs, bytes32[] reads, bytes32[] outputs, bytes32 details, uint64 validUntil, ${EXTERNAL_CALL}[] calls)`;
const COMMITTEE_CHANGE =
  "(uint64 epoch, address[] members, uint8 threshold, uint64 validUntil)";
const ENDORSEMENTS = "(uint256 signers, (bytes32 r, bytes32 vs)[] signatures)";
const GROUP_CONFIG = "(address[] members, uint8 threshold, bool externalCalls)";

const committeeErrors = [
  "error PrivacyGroupInvalidThreshold(uint256 threshold, uint256 members)",
  "error PrivacyGroupMembersNotAscending(address previous, address member)",
  "error PrivacyGroupTooManyMembers(uint256 members, uint256 membersMax)",
] as const;

const externalCallErrors = [
  "error ExternalCallFailed(uint256 index, address target, bytes reason)",
  "error ExternalCallGasTooLow(uint256 index, uint256 gasMin, uint256 available)",
  "error ExternalCallWithoutCode(address target)",
] as const;

const cloneErrors = [
  "error FailedDeployment()",
  "error InsufficientBalance(uint256 balance, uint256 needed)",
] as const;

/** `PrivacyGroup`, with everything it inherits. */
export const privacyGroupAbi = [
  "error CloneArgumentsTooLong()",
  "error InvalidShortString()",
  "error PrivacyGroupAlreadyApproved(bytes32 transitionHash, address delegate)",
  "error PrivacyGroupExpired(uint64 validUntil, uint256 blockNumber)",
  "error PrivacyGroupExternalCallsDisabled()",
  "error PrivacyGroupInputWithoutSuccessor(bytes32 stateId)",
  "error PrivacyGroupInputsNotAscending(bytes32 stateId)",
  "error PrivacyGroupIntentFulfilled(bytes32 intentId)",
  "error PrivacyGroupInvalidEndorsement(address member, address recovered)",
  "error PrivacyGroupNoIntent()",
  "error PrivacyGroupNotAnInstance()",
  "error PrivacyGroupNotApproved(bytes32 transitionHash, address caller)",
  "error PrivacyGroupRegisterTaken(bytes32 stateId, bytes32 holder)",
  "error PrivacyGroupSignatureCount(uint256 signatures, uint256 signers)",
  "error PrivacyGroupStateNotAvailable(bytes32 stateId)",
  "error PrivacyGroupThresholdNotReached(uint256 signers, uint256 threshold)",
  "error PrivacyGroupTransitionTooLarge(uint256 length, uint256 lengthMax)",
  "error PrivacyGroupUnknownSigners(uint256 signers, uint256 members)",
  "error PrivacyGroupWrongEpoch(uint64 signed, uint64 current)",
  "error ReentrancyGuardReentrantCall()",
  "error StringTooLong(string str)",
  ...committeeErrors,
  ...externalCallErrors,
  ...cloneErrors,
  "event CommitteeChanged(uint64 indexed epoch, address[] members, uint8 threshold)",
  "event EIP712DomainChanged()",
  "event IntentFulfilled(bytes32 indexed intentId)",
  "event TransitionApproved(bytes32 indexed transitionHash, address indexed delegate)",
  "event Transitioned(bytes32 indexed transitionHash, bytes32[] inputs, bytes32[] outputs)",
  "function allowsExternalCalls() view returns (bool)",
  `function approve(${TRANSITION} transition, address delegate, ${ENDORSEMENTS} endorsements)`,
  `function changeCommittee(${COMMITTEE_CHANGE} change, ${ENDORSEMENTS} endorsements)`,
  "function committee() view returns (uint64 epoch, address[] members, uint8 threshold)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
  `function execute(${TRANSITION} transition, ${ENDORSEMENTS} endorsements)`,
  `function executeApproved(${TRANSITION} transition)`,
  "function isApproved(bytes32 transitionHash, address delegate) view returns (bool)",
  "function isFulfilled(bytes32 intentId) view returns (bool)",
  "function isUnspent(bytes32 stateId) view returns (bool)",
] as const;

/** `PrivacyGroupFactory`. */
export const privacyGroupFactoryAbi = [
  "error CloneArgumentsTooLong()",
  "error Create2EmptyBytecode()",
  "error PrivacyGroupFactoryGroupExists(address group)",
  ...committeeErrors,
  ...cloneErrors,
  "event GroupCreated(address indexed group, address indexed creator, bytes32 salt, address[] members, uint8 threshold, bool externalCalls)",
  `function createGroup(${GROUP_CONFIG} config, bytes32 salt) returns (address group)`,
  `function groupAddress(address creator, ${GROUP_CONFIG} config, bytes32 salt) view returns (address group)`,
  "function implementation() view returns (address)",
] as const;

/** `AtomFactory`. */
export const atomFactoryAbi = [
  "error AtomAlreadyExecuted(address atom)",
  "error AtomWithoutCalls()",
  ...externalCallErrors,
  ...cloneErrors,
  "event AtomExecuted(address indexed atom)",
  `function atomAddress(${EXTERNAL_CALL}[] calls, bytes32 salt) view returns (address atom)`,
  `function execute(${EXTERNAL_CALL}[] calls, bytes32 salt) returns (address atom)`,
] as const;

/** `Atom`, which only its factory calls. */
export const atomAbi = [
  "error AtomNotFactory(address caller)",
  ...externalCallErrors,
  `function run(${EXTERNAL_CALL}[] calls)`,
] as const;
