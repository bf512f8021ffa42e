import { inside, type Sabotage } from "../../helpers/sabotage/edit.ts";
import {
  call,
  condition,
  ifOn,
  returned,
  value,
} from "../../helpers/sabotage/places.ts";

/** A sabotage of replicas, and the test that must notice it. */
export interface ReplicaMutant extends Sabotage {
  readonly test: {
    /** Below `test/replica`. */
    readonly file: string;
    /** What the test is called. */
    readonly name: string;
  };
  /** Only long runs look for it. */
  readonly isSlow?: true;
}

/** Other words within a text, such as SQL. */
const reworded =
  (words: string, others: string) =>
  (code: string): string => {
    if (!code.includes(words)) throw new Error(`It has no ${words}: ${code}`);
    return code.replace(words, others);
  };

export const replicaMutants: readonly ReplicaMutant[] = [
  {
    name: "answers before the append",
    edits: [
      inside("PostgresLog.flush").puts(call("waiting.push"), "done(null)"),
    ],
    test: {
      file: "store.ts",
      name: "tells nobody that something is durable which the log does not have",
    },
  },
  {
    name: "appends without the epoch",
    edits: [
      inside("PostgresLog.#query").puts(
        value("text"),
        reworded("epoch = $2 AND", "$2::bigint > 0 AND"),
      ),
    ],
    test: {
      file: "lease.ts",
      name: "is fenced by an epoch that another process began",
    },
  },
  {
    name: "goes on after losing the lease",
    edits: [inside("Replica").drops(call("end", "lease-lost"))],
    test: {
      file: "replica.ts",
      name: "is passive before anything is torn down, and follows then",
    },
  },
  {
    name: "tears down before it is passive",
    edits: [inside("Activation.end").drops(call("onRole"))],
    test: {
      file: "replica.ts",
      name: "is passive before anything is torn down, and follows then",
    },
    isSlow: true,
  },
  {
    name: "is sure of itself until it hears otherwise",
    edits: [
      inside("Lease.isCertain").puts(
        returned("TRUSTED_PART"),
        "this.#taken !== undefined",
      ),
    ],
    test: {
      file: "processes.ts",
      name: "write and answer nothing after they were frozen",
    },
    isSlow: true,
  },
  {
    name: "does not wait for the grace",
    edits: [inside("LockWatch.isFree").puts(returned("graceMs"), "true")],
    test: {
      file: "lease.ts",
      name: "stays with a process whose session is ended, also when an answer is lost",
    },
    isSlow: true,
  },
  {
    name: "does not remember what was durable",
    edits: [inside("Acknowledged.remember").drops(call("writeSync"))],
    test: {
      file: "acknowledged.ts",
      name: "is none at first, and is remembered by the next process",
    },
    isSlow: true,
  },
  {
    name: "rebuilds its store over a log that has forgotten turns",
    edits: [
      inside("LogFollower.#next").puts(
        call("forgotten"),
        `await this.#rebuild("it differs")`,
      ),
    ],
    test: {
      file: "replica.ts",
      name: "stops also if its file was deleted, or others have gone on since",
    },
    isSlow: true,
  },
  {
    name: "publishes turns that are not durable",
    edits: [inside("publish").puts(value("isDurable"), '"true"')],
    test: {
      file: "snapshots.ts",
      name: "is not made of turns that are not durable",
    },
    isSlow: true,
  },
  {
    name: "takes any snapshot",
    edits: [inside("restoreSnapshot").puts(condition("checksum"), "false")],
    test: {
      file: "snapshots.ts",
      name: "is refused if its bytes are others, and the one before it is used",
    },
    isSlow: true,
  },
  {
    name: "follows a log that another node has written",
    edits: [inside("agreeOnNode").puts(ifOn("length"), "return;")],
    test: {
      file: "replica.ts",
      name: "is refused if it is another node, with all that differs",
    },
    isSlow: true,
  },
  {
    name: "leaves a node running that does not end",
    edits: [inside("Activation.run").drops(call("exit"))],
    test: {
      file: "replica.ts",
      name: "ends its process if the node does not end within a lease",
    },
    isSlow: true,
  },
  {
    name: "takes a free lease while elections are stopped",
    edits: [
      inside("mayBeTakenSql").puts(returned("name"), "\"state = 'open'\""),
    ],
    test: {
      file: "orders.ts",
      name: "do not let others take a free lease while elections are stopped",
    },
    isSlow: true,
  },
  {
    name: "opens a stopped log without its hash",
    edits: [
      inside("Grants.begin").puts(condition("hash"), "false"),
      inside("Lease.#begin").puts(
        value("isFree"),
        reworded("head_hash = $4", "$4::bytea IS NOT NULL"),
      ),
    ],
    test: {
      file: "orders.ts",
      name: "are refused by a replica that has another hash, or is not passive",
    },
  },
  {
    name: "opens a stopped log with a grant of another epoch",
    edits: [
      inside("Lease.#begin").puts(
        value("isFree"),
        reworded("epoch = coalesce($5, epoch)", "coalesce($5, epoch) > 0"),
      ),
    ],
    test: {
      file: "orders.ts",
      name: "make grants worthless that were on their way when elections were stopped",
    },
    isSlow: true,
  },
  {
    name: "leaves the log open when it is revoked",
    edits: [inside("Activation.run").puts(value("stops"), "false")],
    test: {
      file: "orders.ts",
      name: "stop the log at its last turn, and open it again at another replica",
    },
    isSlow: true,
  },
  {
    name: "is fenced under whatever epoch",
    edits: [
      inside("stopLog").puts(
        value("text"),
        reworded("epoch = $2 AND", "$2::bigint >= 0 AND"),
      ),
    ],
    test: {
      file: "orders.ts",
      name: "are not needed to stop a log: its master appends nothing after the fence",
    },
    isSlow: true,
  },
  {
    name: "opens a stopped log while its last master may still answer",
    edits: [
      inside("Lease.#begin").puts(
        value("isFree"),
        reworded("trusted_until > clock_timestamp()", "false"),
      ),
    ],
    test: {
      file: "orders.ts",
      name: "are not needed to stop a log: its master appends nothing after the fence",
    },
    isSlow: true,
  },
];
