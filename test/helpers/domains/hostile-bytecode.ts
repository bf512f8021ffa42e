import { type Hex, parseHex } from "../../../src/ledger/index.ts";

// Programs that take as long as they can for their gas. Each runs until something stops it.

/** A contract, and what it is called with. */
export interface HostileProgram {
  readonly code: string;
  readonly data: string;
  /** Code of a contract that it calls, if it does. */
  readonly called?: string;
  /** Rules of the EVM by which it takes longest; osaka, if it does not matter. */
  readonly evmVersion?: string;
  /** How it ends. */
  readonly ends: RegExp;
}

const OUT_OF_GAS = /^It ran out of gas/;
const TOO_MUCH_WORK = /^It asks for more work/;

/** Stands for the address of the contract that is called. */
export const CALLED = "cc".repeat(20);

function push(value: number): string {
  const digits = value.toString(16);
  const even = digits.padStart(digits.length + (digits.length % 2), "0");
  return (0x5f + even.length / 2).toString(16) + even;
}

/** Does something again and again. */
function loop(body: string, options: { before?: string; times?: number } = {}) {
  const { before = "", times = 20 } = options;
  const start = (before.length / 2).toString(16).padStart(4, "0");
  return `${before}5b${body.repeat(times)}61${start}56`;
}

/** Calls a precompile with what it is called with. */
function callsPrecompile(address: number): string {
  const call = `5f5f365f61${address.toString(16).padStart(4, "0")}5afa50`;
  return loop(call, { before: "365f5f37", times: 4 });
}

const word = (value: number): string => value.toString(16).padStart(64, "0");
const fill = (bytes: number, byte = "ff"): string => byte.repeat(bytes);
const SIZE = 1 << 17;
/** Jumps over code that is long to search. */
const longCode = `60055600005b00${"60ff".repeat(4_996)}`;
const callsIt = loop(`5f5f5f5f73${CALLED}5afa50`);

/** Opcodes, by what they are about. */
export const opcodePrograms: Readonly<Record<string, HostileProgram>> = {
  JUMPDEST: { code: "5b".repeat(20) + "5f56", data: "", ends: OUT_OF_GAS },
  MSTORE: { code: loop("5a5f52"), data: "", ends: OUT_OF_GAS },
  KECCAK256: {
    code: loop(`${push(SIZE)}5f2050`, { times: 4 }),
    data: "",
    ends: /^It (ran|asks)/,
  },
  CALLDATACOPY: {
    code: loop(`${push(SIZE)}5f5f37`, { times: 4 }),
    data: fill(1_000),
    ends: TOO_MUCH_WORK,
  },
  CODECOPY: {
    code: loop(`${push(SIZE)}5f5f39`, { times: 4 }),
    data: "",
    ends: TOO_MUCH_WORK,
  },
  EXTCODECOPY: {
    code: loop(`${push(SIZE)}5f5f303c`, { times: 4 }),
    data: "",
    ends: TOO_MUCH_WORK,
  },
  MCOPY: {
    code: loop(`${push(SIZE)}5f5f5e`, { times: 4 }),
    data: "",
    ends: TOO_MUCH_WORK,
  },
  SSTORE: { code: loop("5a5f55"), data: "", ends: OUT_OF_GAS },
  TSTORE: { code: loop("5a5a5d"), data: "", ends: OUT_OF_GAS },
  LOG0: { code: loop("5f5fa0"), data: "", ends: OUT_OF_GAS },
  CREATE: { code: loop("61bfff5f5ff050"), data: "", ends: OUT_OF_GAS },
  EXTCODESIZE: {
    code: loop(`73${CALLED}3b50`),
    data: "",
    called: longCode,
    ends: OUT_OF_GAS,
  },
  "STATICCALL of nothing": {
    code: callsIt,
    data: "",
    called: "00",
    ends: TOO_MUCH_WORK,
  },
  "STATICCALL of long code": {
    code: callsIt,
    data: "",
    called: longCode,
    ends: TOO_MUCH_WORK,
  },
  "a call of itself in a call of itself": {
    code: loop("5f5f5f5f305afa50"),
    data: "",
    ends: /^It (ran|asks)/,
  },
};

const bnG1 = word(1) + word(2);
const bnG2 =
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";
const pad = "00".repeat(16);
const blsG1 =
  `${pad}17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb` +
  `${pad}08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1`;
const blsG2 =
  `${pad}024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8` +
  `${pad}13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e` +
  `${pad}0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801` +
  `${pad}0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be`;
const large = `7${"f".repeat(63)}`;

function precompile(
  address: number,
  data: string,
  ends = TOO_MUCH_WORK,
): HostileProgram {
  return { code: callsPrecompile(address), data, ends };
}

/** 128 multiplications in G2: the longest single operation. */
export const longestOperation = precompile(0x0e, (blsG2 + large).repeat(128));

/** An exponent of 256 kilobytes costs less than a million gas, and would take a minute. */
const longExponent: HostileProgram = {
  code: [
    "60015f52", // one byte of base
    "620400006020526001604052", // many of exponent, one of modulus
    "60ff60615360fd620400615360036060536203ffff5150", // none of them zero
    `5f5f${push(98 + (1 << 18))}5f60055afa00`,
  ].join(""),
  data: "",
  evmVersion: "shanghai",
  ends: TOO_MUCH_WORK,
};

/** Precompiles, by what they are about. */
export const precompilePrograms: Readonly<Record<string, HostileProgram>> = {
  ECRECOVER: precompile(
    0x01,
    `456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3${word(28)}` +
      "9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608" +
      "4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada",
  ),
  SHA256: precompile(0x02, ""),
  RIPEMD160: precompile(0x03, "", /^It (ran|asks)/),
  IDENTITY: precompile(0x04, fill(32)),
  "MODEXP of small numbers": {
    ...precompile(0x05, word(8) + word(4_096) + word(8) + fill(8 + 4_096 + 8)),
    evmVersion: "shanghai",
  },
  "MODEXP of large numbers": {
    ...precompile(
      0x05,
      word(256) + word(32) + word(256) + fill(256 + 32 + 256),
      /^It (ran|asks)/,
    ),
    evmVersion: "shanghai",
  },
  "MODEXP with a long exponent": longExponent,
  "BN254 addition": precompile(0x06, bnG1 + bnG1),
  "BN254 multiplication": precompile(0x07, bnG1 + fill(32)),
  "BN254 pairing": precompile(0x08, (bnG1 + bnG2).repeat(4), /^It (ran|asks)/),
  "BLAKE2F of many rounds": precompile(
    0x09,
    `000f4240${fill(208, "07")}01`,
    TOO_MUCH_WORK,
  ),
  "BLAKE2F of no rounds": precompile(0x09, `00000000${fill(208, "07")}01`),
  "the point evaluation": precompile(0x0a, fill(192), /not available/),
  "BLS12-381 G1 addition": precompile(0x0b, blsG1 + blsG1),
  "BLS12-381 G1 multiplications": precompile(0x0c, (blsG1 + large).repeat(32)),
  "BLS12-381 G2 addition": precompile(0x0d, blsG2 + blsG2),
  "BLS12-381 G2 multiplications": longestOperation,
  "BLS12-381 pairing": precompile(0x0f, (blsG1 + blsG2).repeat(2)),
  "BLS12-381 map to G1": precompile(0x10, pad + fill(48, "03")),
  "BLS12-381 map to G2": precompile(0x11, (pad + fill(48, "03")).repeat(2)),
  P256VERIFY: precompile(
    0x100,
    "4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4da73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d604aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff37618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e",
  ),
};

/** Bytecode that deploys code: returns what follows these 10 bytes. */
export function deploying(code: string): Hex {
  const size = (code.length / 2).toString(16).padStart(4, "0");
  return parseHex(`0x61${size}80600a5f395ff3${code}`);
}
