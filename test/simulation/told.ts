import { expect } from "chai";

import { UserBook } from "../../src/api/book.ts";
import { Violation } from "../../src/simulation/violation.ts";
import { ToldAnswers } from "../../src/simulation/whole/told.ts";
import { Database } from "../../src/store/database.ts";
import { userTables } from "../../src/store/user-tables.ts";

/** The book of a node that has receipts with these numbers. */
function bookWith(sequences: readonly number[]): UserBook {
  const database = new Database(
    { file: ":memory:" },
    { migrations: userTables },
  );
  const book = new UserBook({ database, now: () => 0 });
  database.write(() => {
    for (const sequence of sequences) {
      const id = idOf(sequence);
      database.run(
        `INSERT INTO user_transactions (id, created, submit_mode, type, sender, function, abi_reference, data, depends_on)
       VALUES (?, '', 'auto', 'private', 'ann', '', '', '{}', '[]')`,
        id,
      );
      database.run(
        "INSERT INTO user_receipts (sequence, transaction_id, indexed, success, type) VALUES (?, ?, '', 1, 'private')",
        sequence,
        id,
      );
    }
  });
  return book;
}

function idOf(sequence: number): string {
  return `00000000-0000-4000-8000-${String(sequence).padStart(12, "0")}`;
}

function told(...sequences: number[]) {
  return sequences.map((sequence) => ({ id: idOf(sequence), sequence }));
}

function violationOf(act: () => void): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Violation) return error.property;
    throw error;
  }
  return undefined;
}

describe("The check of what a node tells its users", () => {
  it("takes batches in order, and one again that was not acknowledged", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    const book = bookWith([1, 2, 3]);
    answers.batch(told(1, 2), book);
    answers.batch(told(1, 2), book);
    answers.acknowledge(2);
    answers.restarted(book);
    answers.batch(told(1, 2), book);
    answers.acknowledge(2);
    answers.batch(told(3), book);
    expect(answers.hasAll(book)).to.equal(true);
  });

  it("notices a receipt that is left out", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    const act = (): void => {
      answers.batch(told(1, 3), bookWith([1, 2, 3]));
    };
    expect(violationOf(act)).to.equal("S51");
  });

  it("notices a receipt that comes again after it was acknowledged", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    const book = bookWith([1, 2]);
    answers.batch(told(1), book);
    answers.acknowledge(1);
    const again = (): void => {
      answers.batch(told(1, 2), book);
    };
    expect(violationOf(again)).to.equal("S51");
  });

  it("notices after a restart what came after a durable acknowledgement", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    const book = bookWith([1, 2]);
    answers.batch(told(1), book);
    answers.acknowledge(1);
    answers.batch(told(2), book);
    answers.restarted(book);
    const again = (): void => {
      answers.batch(told(1, 2), book);
    };
    expect(violationOf(again)).to.equal("S51");
  });

  it("notices a number that another receipt had", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    answers.receipt({ id: idOf(1), sequence: 1, success: true });
    const act = (): void => {
      answers.receipt({ id: idOf(2), sequence: 1, success: true });
    };
    expect(violationOf(act)).to.equal("S14");
  });

  it("notices another transaction with the same key", () => {
    const answers = new ToldAnswers({ isFinal: () => true });
    answers.id("key", idOf(1));
    const act = (): void => {
      answers.id("key", idOf(2));
    };
    expect(violationOf(act)).to.equal("S50");
  });

  it("notices what happens after it has failed, unless the chain went back", () => {
    for (const isFinal of [true, false]) {
      const answers = new ToldAnswers({ isFinal: () => isFinal });
      answers.receipt({ id: idOf(1), sequence: 1, failureMessage: "too late" });
      const act = (): void => {
        answers.receipt({ id: idOf(1), sequence: 2, success: true });
      };
      expect(violationOf(act)).to.equal(isFinal ? "S48" : undefined);
    }
  });

  it("notices what a crash took back, but not what a reorganisation did", () => {
    const receipts = new ToldAnswers({ isFinal: () => true });
    receipts.receipt({ id: idOf(7), sequence: 7, success: true });
    const lost = (): void => {
      receipts.restarted(bookWith([]));
    };
    expect(violationOf(lost)).to.equal("S14");
    receipts.takeBack(idOf(7));
    expect(violationOf(lost)).to.equal(undefined);
    const ids = new ToldAnswers({ isFinal: () => true });
    ids.id("key", idOf(1));
    const forgotten = (): void => {
      ids.restarted(bookWith([]));
    };
    expect(violationOf(forgotten)).to.equal("S12");
  });
});
