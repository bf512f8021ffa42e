import { conditionalUnionType } from "@nomicfoundation/hardhat-zod-utils";
import { z } from "zod";

import { addressType, nodeNameType } from "./config-types.ts";

/** A group that was created for nodes, with everything that they have to know of it: `sequencer:deploy --domain` prints it. */
export interface DescribedGroup {
  readonly address: string;
  /** 32 bytes that tell it apart from other groups. */
  readonly id: string;
  readonly domain: string;
  /** The names of its nodes. */
  readonly members: readonly string[];
  readonly threshold: number;
  /** "sticky" if it is left out. */
  readonly policy?: "sticky" | "rotating" | undefined;
  /** What the domain is told about the group; nothing if it is left out. */
  readonly configuration?: Readonly<Record<string, string>> | undefined;
}

/** A group of the configuration: where it is, or all that nodes have to know of it. */
export type GroupEntry = string | DescribedGroup;

/** A description, as the configuration and files have it. */
export const describedGroupType = z
  .object({
    address: addressType,
    id: z.string().regex(/^0x[0-9a-fA-F]{64}$/, {
      message: 'Expected an id: "0x" and 64 hexadecimal digits',
    }),
    domain: z.string().min(1),
    members: z.array(nodeNameType).min(1).max(255),
    threshold: z.number().int().min(1).max(255),
    policy: z.enum(["sticky", "rotating"]).optional(),
    configuration: z.record(z.string(), z.string()).optional(),
  })
  .strict();

/** What `sequencer.networks.*.groups` may hold under a name. */
export const groupEntryType: z.ZodType<GroupEntry> = conditionalUnionType(
  [
    [(value) => typeof value === "string", addressType],
    [
      (value) => typeof value === "object" && value !== null,
      describedGroupType,
    ],
  ],
  "Expected the address of a group, or the description that npx hardhat sequencer:deploy prints",
);

/** Where a group of the configuration is. */
export function addressOfEntry(entry: GroupEntry): string {
  return typeof entry === "string" ? entry : entry.address;
}
