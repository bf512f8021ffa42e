import {
  type Address,
  type CommitteeChange,
  encodeApprove,
  encodeChangeCommittee,
  encodeExecute,
  encodeExecuteApproved,
  type Endorsements,
  type Hex,
  type Transition,
} from "../../../ledger/index.ts";

/** A call that changes a group. */
export type Step =
  | {
      readonly type: "Execute";
      readonly transition: Transition;
      readonly endorsements: Endorsements;
    }
  | {
      readonly type: "Approve";
      readonly transition: Transition;
      readonly delegate: Address;
      readonly endorsements: Endorsements;
    }
  | {
      readonly type: "ExecuteApproved";
      readonly transition: Transition;
      readonly caller: Address;
    }
  | {
      readonly type: "ChangeCommittee";
      readonly change: CommitteeChange;
      readonly endorsements: Endorsements;
    };

/** The data of the transaction that carries out a step. */
export function encodeStep(step: Step): Hex {
  switch (step.type) {
    case "Execute":
      return encodeExecute(step.transition, step.endorsements);
    case "Approve":
      return encodeApprove(step.transition, step.delegate, step.endorsements);
    case "ExecuteApproved":
      return encodeExecuteApproved(step.transition);
    case "ChangeCommittee":
      return encodeChangeCommittee(step.change, step.endorsements);
  }
}
