import { readdirSync, readFileSync } from "node:fs";

import { expect } from "chai";

import { play } from "../../src/simulation/scenario/commands.ts";
import { readFile } from "../../src/simulation/scenario/script.ts";
import { ArrowLog, tables } from "../helpers/arrows.ts";
import { coordinatorFollowerDrives } from "../helpers/drives/coordinator-followers.ts";
import { coordinatorPreparationDrives } from "../helpers/drives/coordinator-preparations.ts";
import { coordinatorTransactionDrives } from "../helpers/drives/coordinator-transaction.ts";
import { coordinatorDrives } from "../helpers/drives/coordinator.ts";
import type { Drive } from "../helpers/drives/drive.ts";
import { senderDrives } from "../helpers/drives/sender.ts";
import { senderDependantDrives } from "../helpers/drives/sender-dependants.ts";
import { senderMembershipDrives } from "../helpers/drives/sender-membership.ts";
import { senderTransactionDrives } from "../helpers/drives/sender-transaction.ts";

const scenarios = new URL("../scenarios/", import.meta.url);

/** The stories, which have both policies and all three modes. */
function playScenarios(log: ArrowLog): void {
  for (const name of readdirSync(scenarios)) {
    if (!name.endsWith(".txt")) continue;
    const text = readFileSync(new URL(name, scenarios), "utf8");
    play(readFile(text).script, log.trace);
  }
}

/** Ways to what the stories leave out, by table. */
const drives: Readonly<Record<keyof typeof tables, readonly Drive[]>> = {
  sender: senderDrives,
  senderTransaction: [
    ...senderTransactionDrives,
    ...senderDependantDrives,
    ...senderMembershipDrives,
  ],
  coordinator: coordinatorDrives,
  coordinatorTransaction: [
    ...coordinatorTransactionDrives,
    ...coordinatorFollowerDrives,
    ...coordinatorPreparationDrives,
  ],
};
const names = Object.keys(tables) as (keyof typeof tables)[];

describe("An arrow", () => {
  for (const name of names)
    for (const { arrow, run } of drives[name])
      it(`of the ${name} is taken: ${arrow}`, () => {
        const log = new ArrowLog();
        run(log.trace);
        expect(log.missing(tables[name])).to.not.include(arrow);
        expect(new ArrowLog().missing(tables[name])).to.include(arrow);
      });

  const played = new ArrowLog();
  before(() => {
    playScenarios(played);
    for (const name of names)
      for (const { run } of drives[name]) run(played.trace);
  });

  for (const name of names)
    it(`of the ${name} is in no table without being taken`, () => {
      const missing = played.missing(tables[name]);
      expect(missing, `never taken:\n${missing.join("\n")}\n`).to.deep.equal(
        [],
      );
    });
});
