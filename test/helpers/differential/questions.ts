import { type Address, type Hex, parseHex } from "../../../src/ledger/index.ts";
import type { Chain } from "../chain.ts";

/** A call of a contract that answers with one word. */
interface Question {
  readonly to: Address;
  readonly data: Hex;
}

const WORD = 32;
/** Where the answers are in memory: behind the longest question. */
const ANSWERS = 0x400;

/**
 * Asks many questions with one call of the chain: it executes a program that asks all of them. Most of what a call takes is
 * the way there and back. Fails if one of them fails.
 */
export async function ask(
  chain: Chain,
  questions: readonly Question[],
): Promise<readonly bigint[]> {
  const answers = await chain.run(programOf(questions));
  return questions.map(({ data }, i) => {
    const [answer, isGood] = [
      wordAt(answers, 2 * i),
      wordAt(answers, 2 * i + 1),
    ];
    if (isGood !== 1n) throw new Error(`A call of ${data} fails.`);
    return answer;
  });
}

function wordAt(words: Hex, index: number): bigint {
  const start = 2 + 2 * WORD * index;
  return BigInt(`0x${words.slice(start, start + 2 * WORD)}`);
}

/** Makes the calls, and returns the answer of each and whether it succeeded. */
function programOf(questions: readonly Question[]): Hex {
  const asked = questions.map(({ to, data }, i) => {
    const digits = data.slice(2);
    const words = digits.match(/.{1,64}/g) ?? [];
    const answer = ANSWERS + 2 * WORD * i;
    return [
      ...words.map(
        (word, at) => `7f${word.padEnd(2 * WORD, "0")}${push(at * WORD)}52`,
      ),
      push(WORD),
      push(answer),
      push(digits.length / 2),
      push(0),
      `73${to.slice(2)}`,
      "5afa", // GAS STATICCALL
      `${push(answer + WORD)}52`, // MSTORE
    ].join("");
  });
  const returned = push(2 * WORD * questions.length) + push(ANSWERS) + "f3";
  return parseHex(`0x${asked.join("")}${returned}`);
}

/** PUSH2 of a number. */
function push(value: number): string {
  return `61${value.toString(16).padStart(4, "0")}`;
}
