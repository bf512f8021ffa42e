import { expect } from "chai";

import type { StateId } from "../../../src/protocol/ids.ts";
import type { Json, NewState } from "../../../src/domains/domain.ts";
import type { Play, PlayedStep } from "./play.ts";
import { create } from "./states.ts";

/** A step that is right, what its sender does to it, and what endorsers say to that. */
export interface Cheat<Scene> {
  /** As in "endorses no step with …". */
  readonly what: string;
  readonly honest: (scene: Scene) => Promise<PlayedStep>;
  readonly spoil: (
    step: PlayedStep,
    scene: Scene,
  ) => Partial<PlayedStep> | Promise<Partial<PlayedStep>>;
  readonly reason: RegExp;
}

/** One test for each. The step must have been right before it was spoiled. */
export function testCheats<Scene extends { readonly play: Play }>(
  aScene: () => Promise<Scene>,
  cheats: readonly Cheat<Scene>[],
): void {
  for (const { what, honest, spoil, reason } of cheats)
    it(`endorses no step with ${what}`, async function () {
      const scene = await aScene();
      const step = await honest(scene);
      expect(await scene.play.endorse(step)).to.equal(undefined);
      const spoiled = { ...step, ...(await spoil(step, scene)) };
      expect(await scene.play.endorse(spoiled)).to.match(reason);
    });
}

/** A step that must be possible. */
export async function assembled(
  play: Play,
  ...call: Parameters<Play["assemble"]>
): Promise<PlayedStep> {
  const step = await play.assemble(...call);
  if (step.type !== "assembled") throw new Error(step.reason);
  return step;
}

export function creating(
  { intentId }: PlayedStep,
  ...outputs: readonly NewState[]
): Pick<PlayedStep, "outputs"> {
  return { outputs: create(outputs, intentId) };
}

export function noting(
  { intentId, outputs }: PlayedStep,
  ...infos: readonly NewState[]
): Pick<PlayedStep, "infos"> {
  return { infos: create(infos, intentId, outputs.length) };
}

/** The same step for another intent. */
export function asking(
  { payload }: PlayedStep,
  changes: Readonly<Record<string, Json>>,
): Pick<PlayedStep, "payload"> {
  const asked = JSON.parse(payload) as object;
  return { payload: JSON.stringify({ ...asked, ...changes }) };
}

/** The oldest state of a kind that a member sees. */
export function oneState(
  play: Play,
  member: string,
  key: { readonly schema: string; readonly label: string },
): StateId {
  const [state] = play.view(member).find(key.schema, key.label);
  if (state === undefined) throw new Error(`There is no ${key.schema}.`);
  return state.id;
}
